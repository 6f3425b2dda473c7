import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { waitFor } from '../../../runtime/testing/wait-for.ts'
import { ok } from '../../conformance/case.ts'
import { rawPrimary, reply } from '../../conformance/raw-primary.ts'
import { fakeComparator } from '../../testing/fake-comparator.ts'
import { answering, fakeUpstream, hanging, readAll } from '../../testing/fake-upstream.ts'
import { answerOf, ask, endOf, http2Client } from '../../testing/http2-client.ts'
import { mirrorUnderTest, route } from '../../testing/mirror-under-test.ts'
import { tcpUpstream } from '../../testing/other-upstreams.ts'
import { localhost } from '../../testing/tls/files.ts'

const post = { ':method': 'POST', ':path': '/p' }

describe.each([
  ['over TLS, by ALPN', { tls: localhost }],
  ['with prior knowledge', {}],
  ['with prior knowledge where http-proxy-3 has every request', { forwarder: 'http-proxy-3' }],
])('HTTP/2 %s', (_how, section) => {
  test('a request is forwarded and mirrored like any other', async () => {
    const primary = await fakeUpstream(answering('primary', { connection: 'close', 'x-two': '1' }))
    const candidate = await fakeUpstream(answering('candidate'))
    const comparator = await fakeComparator()
    const mirror = await mirrorUnderTest({
      ...section,
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: candidate.url }),
    })
    const session = await http2Client(mirror.url)
    const headers = { ...post, ':authority': 'models.example', 'x-request-id': 'r1', cookie: ['a=1', 'b=2'] }
    const answer = await ask(session, headers, '{"a":1}')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'primary'])
    expect(answer.headers).toMatchObject({ 'x-two': '1', 'content-type': 'application/json' })
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(answer.headers).not.toHaveProperty(name)

    const { headers: sent, url } = primary.heads[0]!
    expect(url).toBe('/p')
    expect(sent).toMatchObject({
      host: 'models.example',
      cookie: 'a=1; b=2',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'tls' in section ? 'https' : 'http',
      'x-forwarded-host': 'models.example',
    })
    expect(Object.keys(sent).filter((name) => name.startsWith(':'))).toEqual([])
    await waitFor('the observation', () => comparator.observations.size === 1)
    expect([...comparator.observations.values()][0]).toMatchObject({
      correlationId: 'r1',
      request: { method: 'POST', path: '/p', body: '{"a":1}' },
      primary: { kind: 'answered', status: 200, body: 'primary' },
      candidate: { kind: 'answered', body: 'candidate' },
    })
    expect(candidate.heads[0]!.headers).toMatchObject({ host: 'models.example', 'x-understudy-shadow': '1' })
  })

  test('bodies of every size pass whole, both ways, many at once, on kept connections', async () => {
    const primary = await fakeUpstream(async (request, response) => void response.end(await readAll(request)))
    let connections = 0
    primary.server.on('connection', () => connections++)
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    for (const size of [0, 1, 100, 70_000, 3_000_000]) {
      const body = randomBytes(size)
      const answers = await Promise.all(Array.from({ length: 5 }, () => ask(session, post, body)))
      for (const answer of answers) expect([answer.status, answer.body.equals(body)]).toEqual([200, true])
    }
    expect(connections).toBeLessThanOrEqual(5)
  })

  test('every body is framed: none is read as a second request', async () => {
    const bodies: string[] = []
    const primary = await fakeUpstream(async (request, response) => {
      bodies.push(`${request.method} ${await readAll(request)}`)
      response.end('ok')
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: x\r\n\r\n'
    for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST', 'PATCH']) {
      await ask(session, { ':method': method, ':path': '/x' }, smuggled)
      await ask(session, { ':method': method, ':path': '/x' })
    }
    expect(bodies).toEqual(
      ['GET', 'DELETE', 'OPTIONS', 'POST', 'PATCH'].flatMap((method) => [`${method} ${smuggled}`, `${method} `]),
    )
  })

  test('a method reaches the primary as the client spelt it', async () => {
    const primary = await rawPrimary([reply(ok('met'))])
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    await ask(await http2Client(mirror.url), { ':method': 'patch', ':path': '/x' }, 'body')
    expect(primary.requests[0]).toMatch(/^patch \/x HTTP\/1.1\r\n/)
  })

  test('Via names the version that the client uses', async () => {
    const primary = await fakeUpstream((request, response) => void response.end(request.headers.via))
    const mirror = await mirrorUnderTest({ ...section, headers: { via: true }, primary: primary.url })
    const answer = await ask(await http2Client(mirror.url), { ':path': '/x' })
    expect(answer.body.toString()).toBe('2 understudy')
  })

  test('HEAD, 204, 304, 1xx, 100-continue and trailers of both sides pass', async () => {
    let trailers: unknown
    const primary = await fakeUpstream(async (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': '5' }).end()
      if (request.url !== '/p') return void response.writeHead(Number(request.url!.slice(1))).end()
      response.writeProcessing()
      response.socket!.write(
        'HTTP/1.1 103 Early Hints\r\nlink: odd\r\nconnection: x-hop\r\nx-hop: 1\r\nx-a: 1\r\nx-a: 2\r\n\r\n',
      )
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      const body = await readAll(request)
      trailers = request.trailers
      response.setHeader('trailer', 'x-sum')
      response.write(body)
      response.addTrailers([
        ['x-sum', '42'],
        ['x-sum', '43'],
      ])
      response.end()
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const headOnly = await ask(session, { ':method': 'HEAD', ':path': '/p' })
    expect([headOnly.status, headOnly.headers['content-length'], headOnly.body.length]).toEqual([200, '5', 0])
    for (const status of [204, 304]) expect((await ask(session, { ':path': `/${status}` })).status).toBe(status)

    const stream = session.request({ ...post, expect: '100-continue' }, { waitForTrailers: true })
    const information: unknown[] = []
    stream.on('headers', (headers) => information.push(Object.fromEntries(Object.entries(headers))))
    await once(stream, 'continue')
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-mine': '1' }))
    stream.end('body')
    const answer = await answerOf(stream)
    expect(answer.body.toString()).toBe('body')
    expect(information.slice(1)).toEqual([
      { ':status': 102 },
      { ':status': 103, link: 'odd', 'x-a': '1, 2' },
      { ':status': 103, link: '</style.css>; rel=preload' },
    ])
    expect([trailers, answer.trailers]).toEqual([{ 'x-mine': '1' }, expect.objectContaining({ 'x-sum': '42, 43' })])
  })

  test.each(['100-Continue', 'an-answer'])('a request with the expectation %s is not refused', async (expectation) => {
    // as a primary, Node would itself answer 417
    const primary = await rawPrimary([reply(ok('met'))])
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const answer = await ask(await http2Client(mirror.url), { ...post, expect: expectation }, 'body')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'met'])
  })

  test('a client that reads slowly slows the primary and none of its other streams', async () => {
    let written = 0
    const primary = await fakeUpstream((request, response) => {
      if (request.url !== '/slow') return answering('fast')(request, response)
      request.resume()
      const more = () => {
        while (!response.destroyed && written < 64 * 1024 * 1024) {
          written += 65_536
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, timeout: '400ms' })
    const session = await http2Client(mirror.url)
    const slow = session.request({ ':path': '/slow' })
    await once(slow, 'response')
    slow.pause()
    let before = -1
    await waitFor('the primary to stand still', async () => {
      const stands = written === before
      before = written
      await new Promise((resolve) => setTimeout(resolve, 100))
      return stands
    })
    expect(written).toBeLessThan(32 * 1024 * 1024)
    expect((await ask(session, { ':path': '/fast' })).body.toString()).toBe('fast')
    // longer than the timeout: everyone waits for the client
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await readAll(slow)).length).toBe(64 * 1024 * 1024)
  })

  test('a request that the client cancels is cancelled at the primary too', async () => {
    let isGone = false
    const primary = await fakeUpstream((request, response) => {
      request.resume()
      response.once('close', () => {
        isGone = true
      })
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    const stream = session.request(post)
    stream.on('error', () => {})
    stream.write('half')
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    stream.close(constants.NGHTTP2_CANCEL)
    await waitFor('the primary to be told', () => isGone)
  })

  test('a response that breaks midway is reset, and the connection goes on', async () => {
    const primary = await fakeUpstream((request, response) => {
      if (request.url === '/x') return answering('{}')(request, response)
      request.resume()
      if (request.url === '/length') response.writeHead(200, { 'content-length': '1000' })
      if (request.url === '/untilReset' || request.url === '/untilSilent') response.removeHeader('transfer-encoding')
      const breakOff = () => {
        if (request.url === '/untilReset') request.socket.resetAndDestroy()
        else if (request.url !== '/untilSilent') request.socket.destroy()
      }
      response.write('half', () => setTimeout(breakOff, 20))
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, timeout: '500ms' })
    const session = await http2Client(mirror.url)
    for (const path of ['/length', '/chunked', '/untilReset', '/untilSilent']) {
      expect(await endOf(session.request({ ':path': path }))).toBe(constants.NGHTTP2_INTERNAL_ERROR)
    }
    expect((await ask(session, { ':path': '/x' })).status).toBe(200)
  })

  test('a dead primary is a 502, a silent one a 504, a head that HTTP/2 forbids a 502', async () => {
    const dead = await fakeUpstream(answering(''))
    await dead.close()
    const odd = await tcpUpstream((socket) => socket.on('data', () => socket.write('HTTP/1.1 999 Odd\r\n\r\n')))
    for (const [url, status, timeout] of [
      [dead.url, 502, '10s'],
      [(await fakeUpstream(hanging)).url, 504, '300ms'],
      [odd.url, 502, '10s'],
    ] as const) {
      const mirror = await mirrorUnderTest({ ...section, primary: url, timeout })
      const answer = await ask(await http2Client(mirror.url), post, '{}')
      expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([
        status,
        status === 504 ? 'UPSTREAM_TIMED_OUT' : 'UPSTREAM_UNREACHABLE',
      ])
    }
  })

  test('a stop tells clients to open no more streams, and open ones finish', async () => {
    let finish = () => {}
    const primary = await fakeUpstream((request, response) => {
      request.resume()
      finish = () => response.end('finished')
    })
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url, drain: '10s' })
    const session = await http2Client(mirror.url)
    const told = once(session, 'goaway')
    const answer = ask(session, post, '{}')
    await waitFor('the request at the primary', () => primary.heads.length === 1)
    const stopped = mirror.stop()
    expect((await told)[0]).toBe(constants.NGHTTP2_NO_ERROR)
    finish()
    expect((await answer).body.toString()).toBe('finished')
    await stopped
  })

  test('a client that vanishes leaves nothing behind', async () => {
    const primary = await fakeUpstream(answering('{}'))
    const mirror = await mirrorUnderTest({ ...section, primary: primary.url })
    const session = await http2Client(mirror.url)
    await ask(session, post, '{}')
    const connections = async () =>
      /^understudy_mirror_client_connections (\d+)/m.exec((await mirror.admin('/metrics')).text)![1]
    expect(await connections()).toBe('1')
    session.destroy()
    await waitFor('its connection to be gone', async () => (await connections()) === '0')
  })
})
