import { afterAll, beforeAll, expect, test } from 'vitest'
import { regression } from '../../test/support/comparator.ts'
import { openTestStore } from '../../test/support/intake.ts'
import { reportedSkips } from '../store/intake/coverage.ts'
import { expire } from './expire.ts'
import { acceptCoverage } from './intake/accept-coverage.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]
const hour = Math.floor(Date.now() / hourMs) * hourMs
let now = hour
const clock = { now: () => now, monotonic: () => 0 }

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  const price = { ...regression, window: { ...regression.window, duration: '3h' } }
  store = await openTestStore([price, { ...price, name: 'other' }], clock)
  // in each minute of five hours one skip, and several of another validation
  const reportsOf = (validation: string, shed: number) =>
    Array.from({ length: 300 }, (_, i) => ({
      ...{ reporter: 'm', validation, sizeClass: 'le1KiB', seen: 9, skipped: { shed } },
      minute: new Date(hour - (300 - i) * minuteMs).toISOString(),
    }))
  const reports = [...reportsOf('price', 1), ...reportsOf('other', 5)]
  expect(await acceptCoverage(store.comparator, reports, [])).toMatchObject({ accepted: 600, rejected: [] })
})
afterAll(() => store?.close())

const skipsOf = async (from: number, to: number) =>
  (await reportedSkips(store.db, 'price', hour + from * minuteMs, hour + to * minuteMs)).reduce(
    (sum, { count }) => sum + count,
    0,
  )
const expireAt = (at: number) => {
  now = at
  return expire({ ...store.comparator, retention: { observations: minuteMs, bodies: minuteMs } })
}
const spans = [
  [-195, -15],
  [-180, 0],
  [-170, -130],
  [-200, -60],
  [-150, -140],
] as const
const exact = spans.map(([from, to]) => to - from)

test('skips by the minute are kept as long as a window of less than two days needs them', async () => {
  for (const at of [hour, hour + 10 * minuteMs]) {
    await expireAt(at)
    const counts = []
    for (const [from, to] of spans) counts.push(await skipsOf(from, to))
    expect(counts).toEqual(exact)
  }
  const { rows } = { rows: await store.db.selectFrom('coverage_report').select('minute').execute() }
  expect(rows.length).toBeLessThan(600)
})

test('without minutes, the whole hours that a span touches count, so that coverage is never overstated', async () => {
  await expireAt(hour + 30 * 24 * hourMs)
  expect(await store.db.selectFrom('coverage_report').select('minute').execute()).toEqual([])
  const counts = []
  for (const [from, to] of spans) counts.push(await skipsOf(from, to))
  expect(counts).toEqual([240, 180, 60, 180, 60])
})
