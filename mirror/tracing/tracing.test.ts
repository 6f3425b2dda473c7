import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { waitFor } from '../../runtime/testing/wait-for.ts'
import { head } from '../conformance/case.ts'
import { received as answeredTo, rawClient, sendPieces } from '../conformance/raw-client.ts'
import { rawPrimary, reply } from '../conformance/raw-primary.ts'
import { LiveRecord } from '../live/live-record.ts'
import { startMirror } from '../server.ts'
import { type CollectedSpan, fakeCollector } from '../testing/fake-collector.ts'
import { fakeComparator } from '../testing/fake-comparator.ts'
import { answering, type FakeUpstream, fakeUpstream } from '../testing/fake-upstream.ts'
import { loggerUnderTest } from '../testing/logged.ts'
import { type MirrorUnderTest, mirrorConfig, route, send, tempDir, withAdmin } from '../testing/mirror-under-test.ts'
import { createUpstream } from '../upstream/upstream.ts'
import { startTracing } from './tracing.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const clientSpan = 'b7ad6b7169203331'
const sampled = `00-${traceId}-${clientSpan}-01`
const unsampled = `00-${traceId}-${clientSpan}-00`
const tracestate = 'vendor=1, other=2'

async function setUp(section: Record<string, unknown>) {
  const primary = await fakeUpstream(answering('{}'))
  const candidate = await fakeUpstream(answering('{}', {}, 400))
  const { logger, lines } = loggerUnderTest()
  const routes = route({ validation: 'v', url: candidate.url })
  const config = mirrorConfig({ spool: { dir: tempDir() }, primary: primary.url, routes, ...section })
  const started = await startMirror({ config, logger })
  onTestFinished(() => started.stop())
  return { primary, candidate, lines, mirror: withAdmin(started), stop: () => started.stop() }
}

const received = (upstream: FakeUpstream) => waitFor('a request', async () => upstream.heads[0]?.headers)

const spanIdOf = (traceparent: unknown) => String(traceparent).split('-')[2]

const legOf = (spans: CollectedSpan[], leg: string) =>
  spans.find(({ attributes }) => attributes['understudy.leg'] === leg)!

for (const forwarder of ['wire', 'http-proxy-3']) {
  describe(`over ${forwarder}`, () => {
    test('without tracing a client’s trace context reaches the primary and the candidate unchanged', async () => {
      const { primary, candidate, mirror } = await setUp({ forwarder })
      await send(`${mirror.url}/p`, { body: 'x', headers: { traceparent: sampled, tracestate } })
      expect(await received(primary)).toMatchObject({ traceparent: sampled, tracestate })
      expect(await received(candidate)).toMatchObject({ traceparent: sampled, tracestate })
    })

    test('a sampled request has a server span, and a client span per leg, which that leg’s traceparent names', async () => {
      const collector = await fakeCollector()
      const { primary, candidate, mirror, stop } = await setUp({ forwarder, tracing: { url: collector.url, share: 0 } })
      const headers = { traceparent: sampled, tracestate, 'x-request-id': 'id-1' }
      await send(`${mirror.url}/p/x?key=secret`, { body: '123', headers })
      const [onPrimary, onCandidate] = [await received(primary), await received(candidate)]
      await stop()

      const spans = collector.spans
      expect(spans).toHaveLength(3)
      expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
      expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['understudy-mirror']))
      expect(collector.paths[0]).toBe('/v1/traces')

      const server = spans.find(({ kind }) => kind === 2)!
      expect(server).toMatchObject({
        name: 'POST /p',
        parentSpanId: clientSpan,
        statusCode: 0,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/p',
          'http.response.status_code': 200,
          'http.request.body.size': 3,
          'url.path': '/p/x',
          'understudy.outcome': 'answered',
          'understudy.live': 'primary',
          'understudy.correlation_id': 'id-1',
        },
      })
      const live = legOf(spans, 'live')
      const shadow = legOf(spans, 'shadow')
      expect(live).toMatchObject({
        kind: 3,
        name: 'POST',
        parentSpanId: server.spanId,
        spanId: spanIdOf(onPrimary.traceparent),
        statusCode: 0,
        attributes: { 'server.address': '127.0.0.1', 'server.port': primary.port, 'url.full': `${primary.url}/p/x` },
      })
      expect(shadow).toMatchObject({
        kind: 3,
        parentSpanId: server.spanId,
        spanId: spanIdOf(onCandidate.traceparent),
        statusCode: 2,
        attributes: {
          'server.port': candidate.port,
          'http.response.status_code': 400,
          'understudy.validation': 'v',
          'understudy.outcome': 'answered',
        },
      })
      expect([onPrimary.tracestate, onCandidate.tracestate]).toEqual([tracestate, tracestate])
      expect(live.startMs).toBeGreaterThanOrEqual(server.startMs)
      expect(live.endMs).toBeGreaterThan(live.startMs)
      expect(Math.abs(server.startMs - Date.now())).toBeLessThan(60_000)
      expect(JSON.stringify(spans)).not.toContain('secret')
    })
  })
}

test('a WebSocket handshake has a span, which is the parent of the primary’s own spans', async () => {
  const collector = await fakeCollector()
  const switched = head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')
  const primary = await rawPrimary([reply(switched)])
  const { mirror, stop } = await setUp({ primary: primary.url, tracing: { url: collector.url, share: 1 } })
  const client = await rawClient(mirror.url)
  await sendPieces(client, [head('GET /ws HTTP/1.1', 'host: a', 'Upgrade: websocket', 'Connection: Upgrade')])
  await answeredTo(client, (bytes) => bytes.endsWith('\r\n\r\n'))
  const { 1: traceId, 2: spanId } = /^traceparent: 00-(\w+)-(\w+)-0[13]\r$/im.exec(primary.connections[0]!.received)!
  client.socket.destroy()
  await stop()
  const attributes = { 'http.response.status_code': 101, 'understudy.outcome': 'answered' }
  expect(collector.spans.find(({ kind }) => kind === 2)).toMatchObject({ name: 'GET', traceId, attributes })
  expect(collector.spans.find(({ kind }) => kind === 3)).toMatchObject({ traceId, spanId })
})

test('a client that says “not sampled” is not traced, and its trace context passes unchanged', async () => {
  const collector = await fakeCollector()
  const { primary, candidate, mirror, stop } = await setUp({ tracing: { url: collector.url, share: 1 } })
  await send(`${mirror.url}/p`, { body: 'x', headers: { traceparent: unsampled } })
  expect(await received(primary)).toMatchObject({ traceparent: unsampled })
  expect(await received(candidate)).toMatchObject({ traceparent: unsampled })
  await stop()
  expect(collector.spans).toEqual([])
})

test('without a client’s trace context the share decides, and the trace begins here', async () => {
  const collector = await fakeCollector()
  const { primary, mirror, stop } = await setUp({ tracing: { url: collector.url, share: 0.5 } })
  for (let i = 0; i < 40; i++) await send(`${mirror.url}/other`, { headers: { tracestate } })
  await stop()
  const servers = collector.spans.filter(({ kind }) => kind === 2)
  expect(servers.length).toBeGreaterThan(5)
  expect(servers.length).toBeLessThan(35)
  expect(servers.every(({ parentSpanId }) => !parentSpanId)).toBe(true)
  const traced = primary.heads.filter(({ headers }) => headers.traceparent !== undefined)
  expect(traced).toHaveLength(servers.length)
  // it belonged to no valid trace of this client
  expect(traced.every(({ headers }) => headers.tracestate === undefined)).toBe(true)
})

test('a live candidate that fails has a span of its own, before the primary’s', async () => {
  const collector = await fakeCollector()
  const comparator = await fakeComparator()
  comparator.route(2, { v: { livePercent: 100, reverseShadow: true } })
  const primary = await fakeUpstream(answering('primary'))
  const gone = await fakeUpstream(answering('x'))
  await gone.close()
  const { mirror, stop } = await setUp({
    primary: primary.url,
    routes: route({ validation: 'v', url: gone.url }),
    comparator: { url: comparator.url, token: 't' },
    tracing: { url: collector.url },
  })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
  expect((await send(`${mirror.url}/p`, { body: 'x' })).body.toString()).toBe('primary')
  await stop()
  const legs = collector.spans.filter(({ attributes }) => attributes['understudy.leg'] === 'live')
  expect(legs.map(({ attributes, statusCode }) => [attributes['server.port'], statusCode])).toEqual([
    [gone.port, 2],
    [primary.port, 0],
  ])
  expect(legs[1]!.attributes).toMatchObject({ 'http.request.resend_count': 1 })
})

const countOf = async (mirror: MirrorUnderTest, result: string) => {
  const { text } = await mirror.admin('/metrics')
  return Number(new RegExp(`^understudy_mirror_spans_total\\{result="${result}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

test('a collector that refuses spans is logged once, and once more when it accepts them again', async () => {
  const collector = await fakeCollector()
  const { mirror, lines } = await setUp({ tracing: { url: collector.url }, routes: [] })
  const sendUntil = (result: string, count: number) =>
    waitFor(`${count} spans ${result}`, async () => {
      expect((await send(mirror.url)).status).toBe(200)
      return (await countOf(mirror, result)) >= count
    })
  collector.answer.status = 400
  await sendUntil('failed', 1)
  await sendUntil('failed', (await countOf(mirror, 'failed')) + 1)
  expect(await countOf(mirror, 'exported')).toBe(0)
  collector.answer.status = 200
  await sendUntil('exported', 1)
  const told = lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('spans'))
  expect(told).toEqual(['spans are not accepted; they are lost meanwhile', 'spans are accepted again'])
})

test('an absent collector costs clients nothing and does not hold up a stop', async () => {
  const { mirror, stop } = await setUp({ tracing: { url: 'http://127.0.0.1:9' }, routes: [] })
  const statuses = await Promise.all(Array.from({ length: 200 }, async () => (await send(mirror.url)).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const startedAt = performance.now()
  await stop()
  expect(performance.now() - startedAt).toBeLessThan(5000)
})

test('4,096 spans wait for a collector; more are dropped and counted', async () => {
  const { logger } = loggerUnderTest()
  const tracing = await startTracing({ url: 'http://127.0.0.1:9', share: 1 }, systemClock, logger)
  const upstream = createUpstream('http://127.0.0.1:9', 1000)
  for (let i = 0; i < 5000; i++) {
    const request = {
      method: 'GET',
      target: '/',
      fields: [],
      clientAddress: undefined,
      isTls: false,
      httpVersion: '1.1',
    }
    const record = new LiveRecord(request, undefined)
    record.responded(200, [])
    record.over('answered', upstream, undefined)
    tracing.begin(request)!.ended(record, undefined)
  }
  expect(tracing.counts).toEqual({ exported: 0, failed: 0, dropped: 5000 - 4096 })
  upstream.close()
  await tracing.stop(0)
})
