import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { rawClient, received } from '../conformance/raw-client.ts'
import { answering, hanging, readAll } from '../testing/fake-upstream.ts'
import { type MirrorUnderTest, send } from '../testing/mirror-under-test.ts'
import { promoted } from '../testing/promoted.ts'

const large = 'x'.repeat(200_000)
const passedOn = async (mirror: MirrorUnderTest) =>
  /^understudy_mirror_passed_on_total{.*} 1$/m.test((await mirror.admin('/metrics')).text)

test('if a live candidate hangs up on a client that has ended its side, the primary answers', async () => {
  // a Node server closes when it sees the client's FIN
  const { primary, mirror, observations } = await promoted(hanging)
  const ends: boolean[] = []
  Object.assign(primary.server, { httpAllowHalfOpen: true }).on('connection', (socket) => {
    socket.on('end', () => ends.push(true))
  })
  const client = await rawClient(mirror.url)
  client.socket.end('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
  await received(client, () => false)
  expect(client.received).toMatch(/^HTTP\/1.1 200 .*x-understudy-answered-by: primary\r\n.*\r\n\r\n.*primary/s)
  expect(await observations(1)).toMatchObject([
    { live: 'primary', candidate: { kind: 'aborted' }, primary: { body: 'primary' } },
  ])
  expect([ends, primary.heads.length]).toEqual([[true], 1])
})

test('a client that the primary hangs up on too is cut off, as without a candidate', async () => {
  const { primary, mirror, observations } = await promoted(hanging)
  let asked = 0
  primary.server.removeAllListeners('request').on('request', () => {
    asked++
  })
  const client = await rawClient(mirror.url)
  client.socket.end('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
  await received(client, () => false)
  expect(client.received).toBe('')
  expect(await observations(1)).toMatchObject([{ candidate: { kind: 'aborted' }, primary: { kind: 'aborted' } }])
  expect(asked).toBe(1)
})

test('a client that has ended its side gets the answer set aside if the primary hangs up', async () => {
  const { primary, mirror, observations } = await promoted(answering('full', {}, 503))
  primary.server.removeAllListeners('request')
  const client = await rawClient(mirror.url)
  client.socket.end('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
  await received(client, () => false)
  expect(client.received).toMatch(/^HTTP\/1.1 503 .*\r\n\r\nfull$/s)
  expect(await observations(1)).toMatchObject([{ candidate: { status: 503 }, primary: { kind: 'aborted' } }])
})

describe.each(['wire', 'http-proxy-3'])('over %s, where a candidate is live,', (forwarder) => {
  test('the primary gets each request once, as a copy or in the candidate’s place', async () => {
    const { primary, understudy, mirror, observations } = await promoted(answering('candidate'), { forwarder })
    expect(String((await send(`${mirror.url}/p`, { body: '{}' })).body)).toBe('candidate')
    await observations(1)
    await understudy.close()
    expect(String((await send(`${mirror.url}/p`, { body: '{}' })).body)).toBe('primary')
    expect(await observations(2)).toMatchObject([
      { live: 'candidate', candidate: { body: 'candidate' }, primary: { body: 'primary' } },
      { live: 'primary', candidate: { kind: 'refused' }, primary: { body: 'primary' } },
    ])
    expect(primary.heads.map(({ headers }) => headers['x-understudy-shadow'])).toEqual(['1', undefined])
  })

  test.each([502, 503, 504])('the primary answers if the candidate says %d', async (status) => {
    const none = answering('{"code":"QUEUE_FULL"}', { 'x-model-version': '3' }, status)
    const { primary, understudy, mirror, observations } = await promoted(none, { forwarder })
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await send(`${mirror.url}/p`, { body: large })
      expect([status, headers['x-understudy-answered-by'], String(body)]).toEqual([200, 'primary', 'primary'])
    }
    const [observation] = await observations(2)
    expect(observation).toMatchObject({
      live: 'primary',
      candidate: { kind: 'answered', status, body: '{"code":"QUEUE_FULL"}', version: '3' },
      primary: { kind: 'answered', status: 200, body: 'primary' },
    })
    expect([understudy.heads.length, primary.heads.length]).toEqual([2, 2])
    expect((await mirror.admin('/metrics')).text).toContain(
      `understudy_mirror_passed_on_total{validation="v",reason="${status}"} 2`,
    )
    expect(mirror.heldBytes).toBe(0)
  })

  test('any other status of the candidate goes to the client', async () => {
    const { primary, mirror, observations } = await promoted(answering('failed', {}, 500), { forwarder })
    const { status, headers } = await send(`${mirror.url}/p`, { body: '{}' })
    expect([status, headers['x-understudy-answered-by']]).toEqual([500, undefined])
    await observations(1)
    expect(primary.heads.map(({ headers }) => headers['x-understudy-shadow'])).toEqual(['1'])
  })

  test('so does what the primary says in its place', async () => {
    const { primary, mirror } = await promoted(answering('', {}, 503), { forwarder })
    primary.server.removeAllListeners('request').on('request', answering('no', {}, 503))
    const { status, headers, body } = await send(`${mirror.url}/p`, { body: '{}' })
    expect([status, headers['x-understudy-answered-by'], String(body)]).toEqual([503, 'primary', 'no'])
  })

  test('interim responses before a candidate’s 503 reach nobody', async () => {
    const { mirror } = await promoted(
      (incoming, response) => {
        response.writeEarlyHints({ link: '</candidate.css>; rel=preload' })
        answering('', {}, 503)(incoming, response)
      },
      { forwarder },
    )
    const asked = request(`${mirror.url}/p`, { method: 'POST' }).end('{}')
    const promises: unknown[] = []
    asked.on('information', ({ statusCode }) => promises.push(statusCode))
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    expect([response.statusCode, String(await readAll(response)), promises]).toEqual([200, 'primary', []])
  })

  test('the client gets the candidate’s answer if no primary answers', async () => {
    const none = answering('{"code":"QUEUE_FULL"}', { 'retry-after': '1' }, 503)
    const { primary, mirror, observations } = await promoted(none, { forwarder })
    await primary.close()
    const { status, headers, body } = await send(`${mirror.url}/p`, { body: '{}' })
    expect([status, headers['retry-after'], String(body)]).toEqual([503, '1', '{"code":"QUEUE_FULL"}'])
    expect(headers['x-understudy-answered-by']).toBe(undefined)
    expect(await observations(1)).toMatchObject([{ candidate: { status: 503 }, primary: { kind: 'refused' } }])
    expect(mirror.heldBytes).toBe(0)
  })

  test('but not if it is too large to be kept', async () => {
    const { primary, mirror, observations } = await promoted(answering(large, {}, 503), { forwarder })
    await primary.close()
    expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(502)
    await observations(1)
    expect(mirror.heldBytes).toBe(0)
  })

  test('an upload that the candidate refuses midway goes to the primary whole', async () => {
    const { primary, mirror, observations } = await promoted(
      (_request, response) => response.writeHead(503).end('full'),
      { forwarder },
    )
    const bodies: Buffer[] = []
    primary.server.removeAllListeners('request').on('request', async (request, response) => {
      bodies.push(await readAll(request))
      response.end('primary')
    })
    const upload = request(`${mirror.url}/p`, { method: 'POST' })
    const answered = once(upload, 'response')
    upload.write(large)
    await waitFor('the primary to be asked', () => passedOn(mirror))
    upload.end(large)
    const [response] = (await answered) as [IncomingMessage]
    expect([response.statusCode, String(await readAll(response))]).toEqual([200, 'primary'])
    expect(bodies.map(String)).toEqual([large + large])
    expect(await observations(1)).toMatchObject([{ candidate: { status: 503 }, request: { bodyBytes: 400_000 } }])
  })

  test('a request too large to be held gets the candidate’s answer, whatever it is', async () => {
    const full = answering('full', {}, 503)
    const { primary, mirror } = await promoted(full, { forwarder, capture: { memoryMax: '100KiB' } })
    expect((await send(`${mirror.url}/p`, { body: large })).status).toBe(503)
    expect(primary.heads.length).toBe(0)
  })

  test('an answer that never ends does not keep the client waiting', async () => {
    const endless: RequestListener = (_request, response) => {
      response.writeHead(503)
      const writing = setInterval(() => response.write('x'.repeat(100)), 1)
      response.on('close', () => clearInterval(writing))
    }
    const { mirror, understudy, observations } = await promoted(endless, { forwarder })
    expect((await send(`${mirror.url}/p`, { body: '{}' })).status).toBe(200)
    expect(await observations(1)).toMatchObject([{ candidate: { kind: 'reset' }, primary: { body: 'primary' } }])
    const open = () => new Promise<number>((resolve) => understudy.server.getConnections((_, count) => resolve(count)))
    await waitFor('its connection to be closed', async () => (await open()) === 0)
  })

  test('the exchange of a client that leaves while waiting is still compared', async () => {
    const { understudy, mirror, observations } = await promoted(hanging, { forwarder })
    const client = new AbortController()
    const answer = fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: client.signal })
    await waitFor('the request', () => understudy.heads.length === 1)
    client.abort()
    await answer.catch(() => {})
    expect(await observations(1)).toMatchObject([{ candidate: { kind: 'aborted' }, primary: { body: 'primary' } }])
  })
})
