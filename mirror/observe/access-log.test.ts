import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { startMirror } from '../server.ts'
import { answering, fakeUpstream, hanging } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { mirrorConfig, route, send, tempDir, withAdmin } from '../testing/mirror-under-test.ts'
import { rawUpstream } from '../testing/raw-upstream.ts'

async function setUp(section: Record<string, unknown>, clock = systemClock) {
  const { logger, lines } = loggerUnderTest()
  const config = mirrorConfig({ spool: { dir: tempDir() }, ...section })
  const started = await startMirror({ config, logger, clock })
  onTestFinished(() => started.stop())
  const requests = () => lines.filter(({ msg }) => msg === 'request')
  return { mirror: withAdmin(started), lines, requests, stop: () => started.stop() }
}

const logged = (requests: () => unknown[], count: number) =>
  waitFor(`${count} lines`, async () => requests().length >= count)

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00'

for (const forwarder of ['wire', 'http-proxy-3']) {
  test(`a line describes the request without its query (${forwarder})`, async () => {
    const primary = await fakeUpstream(answering('12345'))
    const { mirror, requests } = await setUp({
      primary: primary.url,
      forwarder,
      accessLog: { share: 1 },
      routes: route({ validation: 'v', url: primary.url }),
    })
    await send(`${mirror.url}/p/x?key=secret`, { body: '123', headers: { 'x-request-id': 'id-1', traceparent } })
    await logged(requests, 1)
    expect(requests()[0]).toMatchObject({
      level: 'info',
      method: 'POST',
      path: '/p/x',
      route: '/p',
      status: 200,
      end: 'answered',
      live: 'primary',
      upstream: new URL(primary.url).host,
      bytesIn: 3,
      bytesOut: 5,
      client: '127.0.0.1',
      correlationId: 'id-1',
      traceId: '0af7651916cd43dd8448eb211c80319c',
    })
    const { ttfbMs, totalMs } = requests()[0]!
    expect(ttfbMs).toBeGreaterThan(0)
    expect(totalMs).toBeGreaterThanOrEqual(ttfbMs as number)
    expect(JSON.stringify(requests())).not.toContain('secret')
  })
}

test.each([
  ['wire', /^the upstream closed the connection$/, /^a line that ends in LF alone$/, /^connect ECONNREFUSED 127/],
  ['http-proxy-3', /^socket hang up$/, /^Parse Error/, /^connect ECONNREFUSED 127/],
])('a failure says what the upstream failed with (%s)', async (forwarder, ...reasons) => {
  const closing = await rawUpstream(() => '')
  const malformed = await rawUpstream(() => 'HTTP/1.1 200 OK\nno: CR\n\n')
  for (const [i, { url }] of [closing, malformed, { url: 'http://127.0.0.1:1' }].entries()) {
    const { mirror, requests } = await setUp({ primary: url, forwarder })
    await send(`${mirror.url}/x`)
    await logged(requests, 1)
    expect(requests()).toMatchObject([{ status: 502, reason: expect.stringMatching(reasons[i]!) }])
  }
})

test.each(['wire', 'http-proxy-3'])('a request answered at the second try has no reason (%s)', async (forwarder) => {
  const primary = await fakeUpstream(answering('x'))
  const urls = ['http://127.0.0.1:1', primary.url]
  const { mirror, requests } = await setUp({ primary: { urls }, forwarder, accessLog: { share: 1 } })
  for (let i = 0; i < 2; i++) await send(`${mirror.url}/x`)
  await logged(requests, 2)
  for (const line of requests()) {
    expect(line.status).toBe(200)
    expect(line).not.toHaveProperty('reason')
  }
})

describe('with share 0', () => {
  test('a success is not logged, a failure is', async () => {
    const primary = await fakeUpstream((request, response) => {
      if (request.url === '/hang') hanging(request, response)
      else answering('x', {}, request.url === '/broken' ? 503 : 404)(request, response)
    })
    const { mirror, requests } = await setUp({ primary: primary.url })
    await send(`${mirror.url}/fine`)
    await send(`${mirror.url}/broken`)
    await logged(requests, 1)
    expect(requests()).toMatchObject([{ level: 'warn', path: '/broken', status: 503, end: 'answered' }])
    const impatient = await setUp({ primary: primary.url, timeout: '50ms' })
    await send(`${impatient.mirror.url}/hang`)
    await logged(impatient.requests, 1)
    expect(impatient.requests()).toMatchObject([{ level: 'warn', path: '/hang', status: 504, end: 'timedOut' }])
  })

  test('and errors: false, nothing is logged', async () => {
    const primary = await fakeUpstream(answering('x', {}, 500))
    const { mirror, requests, stop } = await setUp({ primary: primary.url, accessLog: { errors: false } })
    await send(mirror.url)
    await stop()
    expect(requests()).toEqual([])
  })
})

test('a storm of failures gets twenty lines a second, and one that says how many were left out', async () => {
  const primary = await fakeUpstream(answering('x', {}, 500))
  // however long the machine takes, they count as within one second
  const stopped = { ...systemClock, monotonic: () => 0 }
  const { mirror, lines, requests, stop } = await setUp({ primary: primary.url }, stopped)
  await Promise.all(Array.from({ length: 100 }, () => send(mirror.url)))
  const metrics = (await mirror.admin('/metrics')).text
  await stop()
  const leftOut = lines
    .filter(({ msg }) => msg === 'more requests failed than are logged')
    .reduce((sum, line) => sum + (line.leftOut as number), 0)
  expect([requests().length, leftOut]).toEqual([20, 80])
  expect(metrics).toContain(`understudy_mirror_access_log_left_out_total ${leftOut}\n`)
})

test('the share is of correlation ids: every mirror logs the same ones', async () => {
  const primary = await fakeUpstream(answering('x'))
  const section = {
    primary: primary.url,
    accessLog: { share: 0.5 },
    routes: route({ validation: 'v', url: primary.url, share: 0 }),
  }
  const idsOf = async () => {
    const { mirror, requests, stop } = await setUp(section)
    for (let i = 0; i < 60; i++) await send(`${mirror.url}/p`, { headers: { 'x-request-id': `id-${i}` } })
    await stop()
    return requests().map(({ correlationId }) => correlationId)
  }
  const first = await idsOf()
  expect(first.length).toBeGreaterThan(10)
  expect(first.length).toBeLessThan(50)
  expect(await idsOf()).toEqual(first)
})
