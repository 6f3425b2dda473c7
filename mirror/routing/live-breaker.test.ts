import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { rawClient, received } from '../conformance/raw-client.ts'
import type { RoutingPage } from '../routing-page.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { type MirrorUnderTest, send } from '../testing/mirror-under-test.ts'
import { tcpUpstream } from '../testing/other-upstreams.ts'
import { promoted } from '../testing/promoted.ts'
import { LiveBreaker } from './live-breaker.ts'

const breaker = { failures: 2, cooldown: '10m' }

/** Answers as the test says, which may change. */
function changing(answer: RequestListener) {
  const its = { answer }
  const listener: RequestListener = (incoming, response) => its.answer(incoming, response)
  return { its, listener }
}

const hangingUp: RequestListener = (incoming) => void incoming.socket.destroy()

/** After the first half. */
const breakingOff: RequestListener = (incoming, response) => {
  incoming.resume().on('end', () => {
    response.writeHead(200, { 'content-length': 4 })
    response.write('an', () => incoming.socket.destroy())
  })
}

const ask = async ({ url }: MirrorUnderTest, body = '{}') => {
  const { status, headers, body: said } = await send(`${url}/p`, { body })
  const { 'x-understudy-answered-by': passedOn } = headers
  return status === 200 ? `${said}${passedOn ? ' in its place' : ''}` : status
}

const isOpen = async (mirror: MirrorUnderTest) =>
  /breaker_open{validation="v"} 1/.test((await mirror.admin('/metrics')).text)

const passedOn = async (mirror: MirrorUnderTest) =>
  Number(/^understudy_mirror_passed_on_total{.*} (\d+)$/m.exec((await mirror.admin('/metrics')).text)?.[1] ?? 0)

const why = async (mirror: MirrorUnderTest) =>
  (JSON.parse((await mirror.admin('/routing')).text) as RoutingPage).routes[0]!.candidates[0]!.why

describe('a live candidate that several times in a row gave no answer where the primary did', () => {
  test('is not asked any more, and the primary answers directly', async () => {
    let connections = 0
    const { url } = await tcpUpstream((socket) => {
      connections++
      socket.destroy()
    })
    const { mirror } = await promoted(hanging, {}, { url, share: 0, breaker })
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await ask(mirror))
    expect(answers).toEqual(['primary in its place', 'primary in its place', 'primary', 'primary'])
    expect(connections).toBe(2)
    expect(await isOpen(mirror)).toBe(true)
    expect(await why(mirror)).toBe(
      'primary only, except for one request after each cooldown, since the candidate does not answer: v was promoted',
    )
  })

  test('is observed by copies meanwhile', async () => {
    const { its, listener } = changing(hangingUp)
    const settings = { breaker: { failures: 1, cooldown: '10m' } }
    const { mirror, observations } = await promoted(listener, {}, settings)
    expect(await ask(mirror)).toBe('primary in its place')
    its.answer = answering('candidate')
    expect(await ask(mirror)).toBe('primary')
    const observed = await observations(2)
    expect(observed.map(({ live, candidate }) => [live, candidate.kind])).toEqual([
      ['primary', 'reset'],
      ['primary', 'answered'],
    ])
  })

  test('costs one client at a time if it hangs', async () => {
    const { its, listener } = changing(hangingUp)
    const { mirror, understudy } = await promoted(listener, {}, { share: 0, breaker: { failures: 1, cooldown: '1ms' } })
    expect(await ask(mirror)).toBe('primary in its place')
    its.answer = hanging
    const clients = new AbortController()
    onTestFinished(() => clients.abort())
    const asking = () => fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: clients.signal })
    const first = asking().catch(() => {})
    await waitFor('it to hang', () => understudy.heads.length === 2)
    for (let i = 0; i < 10; i++) expect(await ask(mirror)).toBe('primary')
    clients.abort()
    await first
  })

  test('is asked again a cooldown after a client that left at once, whatever the timeout', async () => {
    const { its, listener } = changing(hangingUp)
    const settings = { share: 0, breaker: { failures: 1, cooldown: '1ms' } }
    const { mirror, understudy } = await promoted(listener, { timeout: '10m' }, settings)
    expect(await ask(mirror)).toBe('primary in its place')
    its.answer = hanging
    const client = new AbortController()
    const asking = fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: client.signal }).catch(() => {})
    await waitFor('it to be asked', () => understudy.heads.length === 2)
    client.abort()
    await asking
    its.answer = answering('candidate')
    await waitFor('it to be live', async () => (await ask(mirror)) === 'candidate')
  })

  test('is not asked again for the failures of requests that it had before', async () => {
    const open: (() => void)[] = []
    const { its, listener } = changing((incoming) => void open.push(() => incoming.socket.destroy()))
    const { mirror, understudy } = await promoted(listener, {}, { share: 0, breaker: { failures: 1, cooldown: '1ms' } })
    const early = [ask(mirror), ask(mirror)]
    await waitFor('both', () => open.length === 2)
    open[0]!()
    await waitFor('one', () => isOpen(mirror))
    its.answer = hanging
    const clients = new AbortController()
    onTestFinished(() => clients.abort())
    fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: clients.signal }).catch(() => {})
    await waitFor('it to hang', () => understudy.heads.length === 3)
    open[1]!()
    expect(await Promise.all(early)).toEqual(['primary in its place', 'primary in its place'])
    for (let i = 0; i < 10; i++) expect(await ask(mirror)).toBe('primary')
  })

  test('is live again once it has answered the one request that it gets after a cooldown', async () => {
    const { its, listener } = changing(hangingUp)
    const { mirror } = await promoted(listener, {}, { share: 0, breaker: { failures: 1, cooldown: '1ms' } })
    expect(await ask(mirror)).toBe('primary in its place')
    its.answer = answering('candidate')
    await waitFor('it to be live', async () => (await ask(mirror)) === 'candidate')
    expect(await isOpen(mirror)).toBe(false)
    expect(await ask(mirror)).toBe('candidate')
  })

  test.each([
    ['bodies beyond capture.bodyMax', { capture: { bodyMax: '1KiB' } }, {}],
    ['answers later than the deadline of copies', {}, { deadline: '1ms' }],
  ])('so is a candidate with %s', async (_, more, limits) => {
    const { its, listener } = changing(hangingUp)
    const settings = { ...limits, breaker: { failures: 1, cooldown: '1ms' } }
    const { mirror } = await promoted(listener, more, settings)
    const large = 'x'.repeat(5000)
    expect(await ask(mirror, large)).toBe('primary in its place')
    its.answer = (incoming, response) => {
      incoming.resume().on('end', () => setTimeout(() => response.end(large), 10))
    }
    await waitFor('it to be live', async () => (await ask(mirror, large)) === large)
    expect(await why(mirror)).toBe('all requests: v was promoted')
  })

  test.each([502, 503, 504])('nor is one behind a gateway that answers %d for it', async (status) => {
    const { mirror, understudy } = await promoted(answering('', {}, status), {}, { share: 0, breaker })
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await ask(mirror))
    expect(answers).toEqual(['primary in its place', 'primary in its place', 'primary'])
    expect(understudy.heads.length).toBe(2)
  })

  test('nor is one that breaks off every answer it begins', async () => {
    const { mirror, understudy } = await promoted(breakingOff, {}, { share: 0, breaker })
    for (let i = 0; i < 2; i++) await expect(ask(mirror)).rejects.toThrow('aborted')
    expect(await ask(mirror)).toBe('primary')
    expect(understudy.heads.length).toBe(2)
  })

  test('but one whose queue is full only now and then is', async () => {
    const { its, listener } = changing(answering('candidate'))
    const { mirror } = await promoted(listener, {}, { share: 0, breaker })
    const answers = []
    for (let i = 0; i < 6; i++) {
      its.answer = i % 2 === 0 ? answering('', {}, 503) : answering('candidate')
      answers.push(await ask(mirror))
    }
    expect(answers).toEqual(Array(3).fill(['primary in its place', 'candidate']).flat())
  })

  test('nor if its clients did not wait for a second', async () => {
    const { mirror, understudy } = await promoted(hanging, {}, { share: 0, breaker })
    const clients = new AbortController()
    const waiting = [1, 2].map(() =>
      fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: clients.signal }).catch(() => {}),
    )
    await waitFor('both to be asked', () => understudy.heads.length === 2)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    clients.abort()
    await Promise.all(waiting)
    await waitFor('the breaker', () => isOpen(mirror))
    expect(await ask(mirror)).toBe('primary')
    expect(understudy.heads.length).toBe(2)
  })
})

test.each(['a part of a request', 'a request'])(
  'clients that leave at once after %s are not failures',
  async (sent) => {
    const { its, listener } = changing(hanging)
    const { mirror, understudy } = await promoted(listener, {}, { breaker })
    const { hostname, port } = new URL(mirror.url)
    for (let i = 1; i <= 3; i++) {
      const client = connect(Number(port), hostname)
      const length = sent === 'a request' ? 2 : 200
      client.write(`POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n{}`)
      await waitFor('the request', () => understudy.heads.length === i)
      client.resetAndDestroy()
      await waitFor('it to be over', async () => (await mirror.ledger()).v!.seen === i)
    }
    its.answer = answering('candidate')
    expect(await ask(mirror)).toBe('candidate')
  },
)

test('clients that leave in the middle of an answer are not failures', async () => {
  const { its, listener } = changing(
    (incoming, response) => void incoming.resume().on('end', () => response.write('a')),
  )
  const { mirror } = await promoted(listener, {}, { share: 0, breaker })
  for (let i = 1; i <= 3; i++) {
    const leaving = new AbortController()
    await fetch(`${mirror.url}/p`, { method: 'POST', body: '{}', signal: leaving.signal })
    leaving.abort()
    await waitFor('it to be over', async () => (await mirror.ledger()).v!.seen === i)
  }
  its.answer = answering('candidate')
  expect(await ask(mirror)).toBe('candidate')
})

test('nor are those that end their side after a request, however long the primary takes', async () => {
  const { its, listener } = changing(hanging)
  const { primary, mirror } = await promoted(listener, {}, { share: 0, breaker })
  Object.assign(primary.server, { httpAllowHalfOpen: true }).removeAllListeners('request')
  primary.server.on('request', (incoming, response) => {
    setTimeout(() => answering('primary')(incoming, response), 1200)
  })
  const waiting = [1, 2].map(async () => {
    const client = await rawClient(mirror.url)
    // a Node server closes when it sees the client's FIN
    client.socket.end('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
    await received(client, () => false)
    return client.received
  })
  for (const answer of await Promise.all(waiting)) expect(answer).toMatch(/^HTTP\/1.1 200 .*primary/s)
  its.answer = answering('candidate')
  expect(await ask(mirror)).toBe('candidate')
})

test('nor is an upload that stalled until the candidate gave up', async () => {
  const { its, listener } = changing(hangingUp)
  const { mirror } = await promoted(listener, {}, { share: 0, breaker })
  for (let i = 1; i <= 2; i++) {
    const client = await rawClient(mirror.url)
    client.socket.write('POST /p HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{')
    await waitFor('the primary to be asked', async () => (await passedOn(mirror)) === i)
    client.socket.write('}')
    await received(client, (answer) => answer.includes('primary'))
  }
  its.answer = answering('candidate')
  expect(await ask(mirror)).toBe('candidate')
})

test('a candidate whose primary is gone stays live, however often it fails', async () => {
  const { its, listener } = changing(hangingUp)
  const { primary, mirror } = await promoted(listener, {}, { breaker })
  await primary.close()
  for (let i = 0; i < 3; i++) expect(await ask(mirror)).toBe(502)
  its.answer = answering('candidate')
  expect(await ask(mirror)).toBe('candidate')
})

test('once the primary has no answer either the candidate is live again', async () => {
  const { its, listener } = changing(hangingUp)
  const { primary, mirror } = await promoted(listener, {}, { breaker })
  for (let i = 0; i < 2; i++) expect(await ask(mirror)).toBe('primary in its place')
  expect(await ask(mirror)).toBe('primary')
  await primary.close()
  its.answer = answering('candidate')
  expect([await ask(mirror), await ask(mirror)]).toEqual([502, 'candidate'])
})

describe('when a health check says that no primary is healthy', () => {
  const unhealthy = async (candidate: RequestListener, more: Record<string, unknown> = {}) => {
    // it answers everything except this
    const primary = await fakeUpstream((incoming, response) =>
      answering('primary', {}, incoming.url === '/misspelt' ? 404 : 200)(incoming, response),
    )
    const healthCheck = { path: '/misspelt', interval: '20ms', timeout: '5s' }
    const checked = { primary: { urls: [primary.url], healthCheck }, ...more }
    const { mirror } = await promoted(candidate, checked, { share: 0, breaker })
    await waitFor('that to be known', async () => (await mirror.admin('/routing')).text.includes('"isHealthy":false'))
    return { mirror, primary }
  }

  test.each([
    ['hangs up', hangingUp],
    ['says that it has no answer', answering('', {}, 503)],
  ])('a primary that answers gets the requests of a candidate that %s', async (_, candidate) => {
    const { mirror } = await unhealthy(candidate)
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await ask(mirror))
    expect(answers).toEqual(['primary in its place', 'primary in its place', 'primary'])
    expect(await why(mirror)).toContain('primary only')
  })

  test('a candidate stays live through failures for which no primary was asked', async () => {
    const { its, listener } = changing(answering('', {}, 503))
    const { mirror, primary } = await unhealthy(listener, { capture: { memoryMax: '100KiB' } })
    await primary.close()
    for (let i = 0; i < 3; i++) expect(await ask(mirror, 'x'.repeat(200_000))).toBe(503)
    its.answer = answering('candidate')
    expect(await ask(mirror)).toBe('candidate')
  })
})

describe('the breaker alone', () => {
  const time = { ms: 0 }
  const clock = { now: () => time.ms, monotonic: () => time.ms }
  const breakerOf = (failures: number, cooldownMs: number, before?: LiveBreaker, silenceMaxMs = 0) =>
    new LiveBreaker({ failures, cooldownMs, silenceMaxMs, turned() {} }, clock, before)

  test('lets one request pass after each cooldown, whatever its outcome', () => {
    const breaker = breakerOf(1, 1000)
    breaker.failed()
    const passed = []
    for (time.ms = 0; time.ms < 3000; time.ms += 250) if (breaker.admits()) passed.push(time.ms)
    expect(passed).toEqual([1000, 2000])
  })

  test('lets none follow one that may hang before it must have failed, or a cooldown after it has ended', () => {
    const breaker = breakerOf(1, 1000, undefined, 5000)
    breaker.failed()
    const passed = []
    for (const begin = time.ms; time.ms < begin + 10_000; time.ms += 250) {
      if (breaker.admits()) passed.push(time.ms - begin)
      if (time.ms === begin + 7000) breaker.probeEnded()
    }
    expect(passed).toEqual([1000, 6000, 8000])
  })

  test('stays open under a new config, for no longer than that allows, and closes if that disables it', () => {
    const open = breakerOf(1, 1000)
    open.failed()
    expect([breakerOf(20, 10, open).isOpen, breakerOf(0, 10, open).isOpen]).toEqual([true, false])
    const quicker = breakerOf(20, 10, open)
    time.ms += 10
    expect([quicker.admits(), open.admits()]).toEqual([true, false])
  })

  test('never opens when disabled', () => {
    const none = breakerOf(0, 1000)
    for (let i = 0; i < 1000; i++) none.failed()
    expect([none.isOpen, none.admits()]).toEqual([false, true])
  })
})
