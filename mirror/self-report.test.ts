import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { systemClock } from '../runtime/clock.ts'
import { waitFor } from '../runtime/testing/wait-for.ts'
import { MirrorReport } from '../vocabulary/mirrors.ts'
import { mirrorReportMs } from '../vocabulary/report-pace.ts'
import { Ledger } from './ledger/ledger.ts'
import { SelfReport } from './self-report.ts'
import type { Stage } from './stage.ts'
import { fakeComparator } from './testing/fake-comparator.ts'
import { fakeUpstream } from './testing/fake-upstream.ts'
import { mirrorUnderTest, route, send } from './testing/mirror-under-test.ts'

const answering = (headers: Record<string, string> = {}) =>
  fakeUpstream((_request, response) => {
    response.writeHead(200, headers)
    response.end('{}')
  })

test('a mirror reports its name, its ledger and its candidates, and at the end that it stops', async () => {
  const comparator = await fakeComparator()
  const primary = await answering()
  const candidate = await answering({ 'x-model-version': '3', 'x-model-digest': 'sha256:abc' })
  const mirror = await mirrorUnderTest({
    name: 'eu-1',
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    capture: { versionHeader: 'x-model-version', digestHeader: 'x-model-digest' },
    routes: route({ validation: 'v', url: candidate.url }),
  })
  await send(`${mirror.url}/p`, { body: '{}' })
  await mirror.settled('v', 1)
  await mirror.stop()
  const reports = comparator.mirrors
  expect(reports.every((report) => Value.Check(MirrorReport, report))).toBe(true)
  expect(reports[0]).toMatchObject({ name: 'eu-1', worker: 0, workers: 1, isStopping: false, lagMs: 0, pending: 0 })
  expect(reports.at(-1)).toMatchObject({
    isStopping: true,
    ledger: [{ validation: 'v', seen: 1, delivered: 1, pending: 0, skipped: {} }],
    candidates: [
      { validation: 'v', route: '/p', url: candidate.url, breaker: 'closed', version: '3', digest: 'sha256:abc' },
    ],
  })
  expect(reports.at(-1)!.candidates[0]!.lastAnswerAt).not.toBeNull()
})

test.each(['wire', 'http-proxy-3'])('a live candidate is known by its live answers (%s)', async (forwarder) => {
  const comparator = await fakeComparator()
  comparator.route(2, { v: { livePercent: 100, reverseShadow: false } })
  const primary = await answering({ 'x-model-version': '1' })
  const candidate = await answering({ 'x-model-version': '4' })
  const mirror = await mirrorUnderTest({
    forwarder,
    primary: primary.url,
    comparator: { url: comparator.url, token: 't' },
    routes: [{ ...route({ validation: 'v', url: candidate.url })[0], noiseFloor: { validation: 'n', share: 1 } }],
  })
  await waitFor('the routing', async () => JSON.parse((await mirror.admin('/routing')).text).version === 2)
  await send(`${mirror.url}/p`, { body: '{}' })
  await mirror.stop()
  // without the noise floor
  expect(comparator.mirrors.at(-1)!.candidates).toMatchObject([
    { validation: 'v', version: '4', lastAnswerAt: expect.any(String) },
  ])
})

test('an open breaker is an alarm, dated from its first report', async () => {
  const comparator = await fakeComparator()
  const primary = await answering()
  const gone = await answering()
  await gone.close()
  let aheadMs = 0
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs }
  const mirror = await mirrorUnderTest(
    {
      primary: primary.url,
      comparator: { url: comparator.url, token: 't' },
      routes: route({ validation: 'v', url: gone.url, breaker: { failures: 1, cooldown: '1h' } }),
    },
    clock,
  )
  await send(`${mirror.url}/p`, { body: '{}' })
  await mirror.settled('v', 1)
  // the next report is due
  aheadMs = mirrorReportMs
  const report = await waitFor('a report of the open breaker', () =>
    comparator.mirrors.find(({ alarms }) => alarms.length > 0),
  )
  expect(report).toMatchObject({
    alarms: [{ code: 'BREAKER_OPEN', validation: 'v' }],
    candidates: [{ breaker: 'open' }],
  })
  await mirror.stop()
  expect(comparator.mirrors.at(-1)!.alarms).toEqual(report.alarms)
})

test('deliveries that are behind are reported with how long, and a failing disk as an alarm since its first report', () => {
  let at = 1_000_000
  const clock = { ...systemClock, now: () => at, monotonic: () => at }
  const outbox = { mode: 'direct', isDiskFailing: false }
  const stage = { config: { capture: {} }, routes: [], quietRoutes: { alarms: [] } } as unknown as Stage
  const sources = { name: 'eu-1', worker: 0, workers: 1, clock, ledger: new Ledger(), outbox }
  const self = new SelfReport({ ...sources, spool: { bytes: 7 }, stage: () => stage })
  const describeIn = (ms: number, changed: Partial<typeof outbox>) => {
    at += ms
    Object.assign(outbox, changed)
    const { lagMs, spooledBytes, alarms } = self.describe(false)
    return [lagMs, spooledBytes, ...alarms.map(({ code, since }) => `${code} ${Date.parse(since)}`)]
  }
  expect(describeIn(0, {})).toEqual([0, 7])
  expect(describeIn(1000, { mode: 'spooling' })).toEqual([1000, 7])
  expect(describeIn(1000, { isDiskFailing: true })).toEqual([2000, 7, 'SPOOL_FAILING 1002000'])
  expect(describeIn(1000, {})).toEqual([3000, 7, 'SPOOL_FAILING 1002000'])
  expect(describeIn(1000, { mode: 'direct', isDiskFailing: false })).toEqual([0, 7])
  expect(describeIn(1000, { isDiskFailing: true })).toEqual([0, 7, 'SPOOL_FAILING 1005000'])
})
