import { expect, test } from 'vitest'
import type { MirrorReport } from '../../../vocabulary/mirrors.ts'
import { mergeWorkers } from './merge-workers.ts'

const now = Date.UTC(2026, 10, 21, 8)
const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000)

function row(worker: number, more: Partial<MirrorReport> = {}, secondsAgo = 1) {
  const report: MirrorReport = {
    name: 'm',
    worker,
    workers: 2,
    startedAt: at(100 - worker).toISOString(),
    isStopping: false,
    lagMs: 10 * worker,
    spooledBytes: 5,
    pending: 1,
    ledger: [{ validation: 'v', seen: 3, delivered: 1, pending: 1, skipped: { shed: 1 } }],
    alarms: [],
    candidates: [candidate('closed', secondsAgo)],
    ...more,
  }
  return { name: 'm', worker, reported_at: at(secondsAgo), report }
}
const candidate = (breaker: 'closed' | 'open', secondsAgo: number) => ({
  validation: 'v',
  route: '/p',
  url: 'http://c',
  breaker,
  inFlight: 1,
  queued: 2,
  lastAnswerAt: at(secondsAgo).toISOString(),
  version: String(secondsAgo),
  digest: null,
})
const alarm = (code: string, secondsAgo: number) => ({
  code,
  validation: 'v',
  since: at(secondsAgo).toISOString(),
  message: '',
})
const merged = (...rows: ReturnType<typeof row>[]) => mergeWorkers(rows, now - 30_000)

test('counts of workers add up; of lags the longest counts, of breakers the worst', () => {
  const view = merged(row(0), row(1, { candidates: [candidate('open', 7)] }))
  expect(view).toMatchObject({ state: 'reporting', workers: 2, lagMs: 10, spooledBytes: 10, pending: 2 })
  expect(view.startedAt).toBe(at(100).toISOString())
  expect(view.ledger).toEqual([{ validation: 'v', seen: 6, delivered: 2, pending: 2, skipped: { shed: 2 } }])
  expect(view.candidates).toMatchObject([{ breaker: 'open', inFlight: 2, queued: 4, version: '1' }])
})

test.each([at(7).toISOString(), null])(
  'the worker counts that a candidate answered last, not at %s',
  (lastAnswerAt) => {
    const last = { candidates: [candidate('closed', 1)] }
    const other = { candidates: [{ ...candidate('closed', 7), lastAnswerAt }] }
    for (const view of [merged(row(0, last), row(1, other)), merged(row(0, other), row(1, last))]) {
      expect(view.candidates).toMatchObject([{ breaker: 'closed', version: '1', lastAnswerAt: at(1).toISOString() }])
    }
  },
)

test('NOTHING_ARRIVING needs all workers and dates from the last of them; other alarms need one', () => {
  const quiet = (secondsAgo: number) => ({ alarms: [alarm('NOTHING_ARRIVING', secondsAgo)] })
  expect(merged(row(0, quiet(50)), row(1)).alarms).toEqual([])
  for (const [one, other] of [
    [50, 40],
    [40, 50],
  ] as const) {
    expect(merged(row(0, quiet(one)), row(1, quiet(other))).alarms).toEqual([alarm('NOTHING_ARRIVING', 40)])
  }
  expect(merged(row(0, { alarms: [alarm('BREAKER_OPEN', 9)] }), row(1)).alarms).toHaveLength(1)
})

test('a mirror is silent once no worker reports, and stopped once all have said that they stop', () => {
  const [stopping, all, one] = [{ isStopping: true }, 2, 1]
  // counted are the workers that report; where none does, those that should, or all that have stopped
  expect(merged(row(0, {}, 40), row(1, {}, 50))).toMatchObject({ state: 'silent', pending: all })
  expect(merged(row(0, {}, 40), row(1))).toMatchObject({ state: 'reporting', pending: one, lagMs: 10 })
  expect(merged(row(0), row(1, stopping))).toMatchObject({ state: 'reporting', pending: one, lagMs: 0 })
  expect(merged(row(0, stopping, 40), row(1, stopping, 50))).toMatchObject({ state: 'stopped', pending: all })
  expect(merged(row(0, stopping, 40), row(1, {}, 50))).toMatchObject({ state: 'silent', pending: one, lagMs: 10 })
})

test('workers beyond the number in the newest report are ignored as from an earlier start', () => {
  const [newest, earlier] = [row(0, { workers: 1 }), row(1, {}, 20)]
  for (const view of [merged(newest, earlier), merged(earlier, newest)]) {
    expect([view.workers, view.pending, view.state]).toEqual([1, 1, 'reporting'])
  }
})
