import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { regression } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import { dayMs, hourMs, minuteMs } from '../../../vocabulary/units.ts'
import { addToRollups, deleteFineRollupsBefore } from '../rollups/rollups.ts'
import { dropBodiesOver, insertBodies, pruneBodies } from './bodies.ts'
import { dayOf } from './day-of-id.ts'
import { examplesMax, insertExamples, pruneExamples } from './examples.ts'
import { ensurePartitions } from './partitions.ts'
import { failedSeverity } from './severity.ts'

const at = Date.UTC(2026, 9, 7, 12)
const day = dayOf(at)
const idOf = (i: number) => `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`
const numberOf = (id: string) => Number(id.slice(-12))

let store: Awaited<ReturnType<typeof openTestStore>>
/** Two windows of one validation. */
let [windowId, otherId] = [0, 0]
beforeAll(async () => {
  store = await openTestStore([regression])
  const price = store.comparator.validations.get('price')!
  const window = (version: string) => ({
    ...{ validation: 'price', primary_version: '1', primary_digest: '', candidate_version: version },
    ...{ candidate_digest: '', policy: sql`${JSON.stringify(price.policy)}::jsonb` as never, bucket_ms: hourMs },
    ...{ policy_digest: price.digest, began_at: new Date(at), last_at: new Date(at), revision: 1 },
  })
  const windows = await store.db
    .insertInto('evidence_window')
    .values([window('1'), window('2')])
    .returning('id')
    .execute()
  ;[windowId, otherId] = windows.map(({ id }) => id) as [number, number]
  await ensurePartitions(store.db, 'observation_body', new Set([day]))
})
afterAll(() => store?.close())
beforeEach(() => sql`truncate example, observation_body, rollup`.execute(store.db))

interface Example {
  kind: 'worst' | 'typical'
  key: number
  slice?: string
  onDay?: string
}
const insert = (examples: Record<number, Example>, window = windowId) =>
  store.db.transaction().execute((tx) =>
    insertExamples(
      tx,
      Object.entries(examples).map(([i, { kind, key, slice = '', onDay = day }]) => ({
        ...{ window_id: window, slice, kind, day: onDay, key, observation_id: idOf(Number(i)), observation_day: onDay },
      })),
    ),
  )
const keepBodies = (bodies: Record<number, { severity?: number; bytes?: number; at?: number }>, window = windowId) =>
  store.db.transaction().execute((tx) =>
    insertBodies(
      tx,
      Object.entries(bodies).map(([i, body]) => ({
        ...{ observation_id: idOf(Number(i)), window_id: window, at: new Date(body.at ?? at).toISOString(), day },
        ...{ severity: body.severity ?? 0, bytes: body.bytes ?? 10 },
        ...{ request: {}, primary_body: null, candidate_body: null },
      })),
    ),
  )
const keptBodies = async () =>
  (await store.db.selectFrom('observation_body').select('observation_id').orderBy('observation_id').execute()).map(
    ({ observation_id }) => numberOf(observation_id),
  )
const keptExamples = async (slice: string, kind: string) =>
  (
    await sql<{ observation_id: string }>`
      select observation_id from example where slice = ${slice} and kind = ${kind} order by observation_id
    `.execute(store.db)
  ).rows.map(({ observation_id }) => numberOf(observation_id))
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
const each = <Value>(of: readonly number[], value: (i: number) => Value): Record<number, Value> =>
  Object.fromEntries(of.map((i) => [i, value(i)]))

describe('examples beyond their number', () => {
  test('are the less bad of a window, failures and compared ones apart, and among equals the last ids', async () => {
    const { failed, compared } = examplesMax
    await insert(each(numbers(0, compared.slice + 2), (i) => ({ kind: 'worst', slice: 's', key: i })))
    await insert(each(numbers(100, failed.slice + 2), () => ({ kind: 'worst', slice: 's', key: failedSeverity })))
    await insert(each(numbers(200, failed.slice + 2), () => ({ kind: 'worst', key: failedSeverity })))
    await insert(
      each(numbers(300, 40), (i) => ({ kind: 'worst', slice: 's', key: i })),
      otherId,
    )
    await pruneExamples(store.db, windowId)
    expect(await keptExamples('s', 'worst')).toEqual([
      ...numbers(2, compared.slice),
      ...numbers(100, failed.slice),
      // of the other window, which was not asked for
      ...numbers(300, 40),
    ])
    // all traffic has more places
    expect(await keptExamples('', 'worst')).toEqual(numbers(200, failed.slice + 2))
  })

  test('are of each day those with the greatest hashes', async () => {
    const { slice } = examplesMax.typical
    const yesterday = dayOf(at - dayMs)
    await insert(each(numbers(0, slice + 3), (i) => ({ kind: 'typical', slice: 's', key: 1 - i / 100 })))
    await insert(each(numbers(100, slice), (i) => ({ kind: 'typical', slice: 's', key: i, onDay: yesterday })))
    await pruneExamples(store.db, windowId)
    expect(await keptExamples('s', 'typical')).toEqual([...numbers(3, slice), ...numbers(100, slice)])
  })
})

test('of a window’s bodies remain those of all its worst examples and of the first typical ones', async () => {
  const first = examplesMax.typical.slice
  const [typical, worst] = [numbers(0, first + 5), numbers(900, first + 5)]
  await insert(each(typical, (i) => ({ kind: 'typical', key: i })))
  await insert(each(worst, (i) => ({ kind: 'worst', key: i })))
  await keepBodies(each([...typical, ...worst, 990], () => ({})))
  await keepBodies({ 991: {} }, otherId)
  await pruneBodies(store.db, windowId)
  expect(await keptBodies()).toEqual([...numbers(0, first), ...worst, 991])
})

describe('bodies over the byte budget', () => {
  beforeEach(async () => {
    await insert({ 1: { kind: 'worst', key: 5 }, 2: { kind: 'worst', key: 9 }, 3: { kind: 'typical', key: 0.1 } })
    await insert({ 4: { kind: 'worst', slice: 's', key: 7 } }, otherId)
    await keepBodies({ 1: { severity: 5 }, 2: { severity: 9 }, 3: { severity: 0 } })
    // no examples: the older goes first, however bad it is
    await keepBodies({ 4: { severity: 7 }, 5: { at: at - hourMs, severity: 8 }, 6: { at } }, otherId)
  })

  test.each([
    [60, [1, 2, 3, 4, 5, 6]],
    [59, [1, 2, 3, 4, 6]],
    [40, [1, 2, 3, 4]],
    [30, [1, 2, 4]],
    [20, [1, 2]],
    [19, [2]],
    [0, []],
  ])('go until %i bytes are left, those of no example first, the worst of all traffic last', async (bytes, left) => {
    expect(await dropBodiesOver(store.db, 'price', bytes)).toBe(6 - left.length)
    expect(await keptBodies()).toEqual(left)
  })

  test('are those of the asked validation alone', async () => {
    expect(await dropBodiesOver(store.db, 'other', 0)).toBe(0)
  })
})

test('of the rollups finer than the gate’s buckets, those from before the cut are deleted', async () => {
  const sums = new Map([['absError', { n: 1, sum: 1, sumSq: 1, min: 1, max: 1 }]])
  const bucket = (bucketMs: number, of: number) => ({
    ...{ windowId, bucketMs, slice: '', at: of, sums, cells: new Map(), bins: new Map() },
  })
  const cut = at + 30 * minuteMs
  const buckets = [bucket(hourMs, at), bucket(minuteMs, cut - minuteMs), bucket(minuteMs, cut)]
  await store.db.transaction().execute((tx) => addToRollups(tx, buckets))
  await deleteFineRollupsBefore(store.db, minuteMs, cut)
  const left = await store.db.selectFrom('rollup').select(['bucket_ms', 'at']).orderBy('at').execute()
  expect(left).toEqual([
    { bucket_ms: hourMs, at: new Date(at) },
    { bucket_ms: minuteMs, at: new Date(cut) },
  ])
})
