import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { observation, regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { hourMs } from '../../../vocabulary/units.ts'
import { acceptObservations } from '../../jobs/intake/accept-observations.ts'
import { analyseGrown } from '../database/analyse-grown.ts'
import type { ObservationRow } from '../database/tables.ts'
import { dayOf } from './day-of-id.ts'
import { listObservations, type ObservationQuery } from './list-observations.ts'
import { fillDays, rowsReadBy } from './rows-read.fixture.ts'

/** Over two weeks, fewer the longer ago. The ids of every third were made today, when it was delivered. */
const now = Date.now()
const ages = [
  ...Array.from({ length: 85 }, (_, i) => Math.ceil(60_000 + 13.5 * 24 * hourMs * (i / 90) ** 4)),
  // the limits of the growing spans
  ...[1, 6, 36, 9 * 24].flatMap((hours) => [60_000 + hours * hourMs, 60_001 + hours * hourMs]),
]
const idAt = (at: number) => {
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${randomUUIDv7().slice(13)}`
}

let store: Awaited<ReturnType<typeof openTestStore>>
let rows: ObservationRow[]
beforeAll(async () => {
  store = await openTestStore([regression])
  const made = ages.map((age, i) => {
    const at = now - age
    const one = observation({
      validation: 'price',
      at,
      primary: i % 11 === 10 ? { kind: 'reset', totalMs: 1 } : { prediction: 1 },
      candidate: i % 7 === 6 ? { kind: 'timedOut', totalMs: 1 } : { prediction: 1 + (i % 5) },
    })
    one.request.path = i % 9 === 4 || i >= 85 ? '/rare' : '/often'
    return i % 3 === 0 ? one : { ...one, id: idAt(at) }
  })
  expect(await acceptObservations(store.comparator, made)).toMatchObject({ accepted: ages.length, rejected: [] })
  rows = await store.db.selectFrom('observation').selectAll().execute()
})
afterAll(() => store?.close())

async function walk(query: Omit<ObservationQuery, 'validation' | 'windowId' | 'limit' | 'after'>): Promise<string[]> {
  const ids: string[] = []
  let after: ObservationQuery['after']
  for (;;) {
    const page = await listObservations(store.db, {
      ...query,
      validation: 'price',
      windowId: rows[0]!.window_id,
      limit: 4,
      after,
    })
    ids.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    if (page.length < 4 || !last) return ids
    after = { key: query.order === 'worst' ? last.severity : last.at.toISOString(), id: last.id }
  }
}

const slices = [
  undefined,
  { dimension: 'route', value: '/rare' },
  { dimension: 'hour', value: String(new Date(now).getUTCHours()).padStart(2, '0') },
]
const spans = [
  {},
  { from: now - 30 * hourMs, to: now - 2 * hourMs },
  { from: now - 200 * hourMs },
  { to: now - 100 * hourMs },
]

test.each(['newest', 'worst'] as const)('the pages of the %s list every match once, in order', async (order) => {
  const listed = (row: ObservationRow) => order === 'newest' || row.severity > 0
  const sorted = rows.filter(listed).sort((a, b) => {
    if (order === 'newest') return b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1)
    return b.severity - a.severity || (a.id < b.id ? -1 : 1)
  })
  for (const slice of slices) {
    for (const comparison of [undefined, 'compared', 'failed', 'skipped'] as const) {
      for (const span of spans) {
        const expected = sorted.filter(
          (row) =>
            row.at.getTime() >= (span.from ?? 0) &&
            row.at.getTime() < (span.to ?? now) &&
            (comparison === undefined || row.comparison === comparison) &&
            (slice === undefined ||
              (slice.dimension === 'hour'
                ? row.at.getUTCHours() === Number(slice.value)
                : row.slices!.route === slice.value)),
        )
        expect(await walk({ order, slice, comparison, ...span })).toEqual(expected.map(({ id }) => id))
      }
    }
  }
})

const fourDays = [1, 2, 3, 4].map((ago) => dayOf(now - ago * 24 * hourMs))
const worst = { validation: 'price', windowId: 1, order: 'worst', limit: 20 } as const

test('the worst of many days are found without reading whole days', async () => {
  const { db, close } = await openTestStore([regression])
  onTestFinished(close)
  await fillDays(db, fourDays)
  await sql`analyze observation`.execute(db)
  const query = { ...worst, from: Date.parse(fourDays.at(-1)!) + 4 * hourMs }
  expect(await rowsReadBy(db, (tx) => listObservations(tx, query))).toBeLessThan(200)
})

test('days that grew are analysed once, and the planner then reads no more of them than it must', async () => {
  const { db, close } = await openTestStore([regression])
  onTestFinished(close)
  await fillDays(db, fourDays)
  expect(await analyseGrown(db)).toHaveLength(fourDays.length)
  expect(await analyseGrown(db)).toEqual([])
  const query = { ...worst, comparison: 'compared' } as const
  expect(await rowsReadBy(db, (tx) => listObservations(tx, query))).toBeLessThan(200)
})
