import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore } from '../../../test/support/intake.ts'
import { randomFrom } from '../../metrics/rollups.fixture.ts'
import { binCountsOf, pairsOf } from '../../statistics/bin-counts.ts'
import { foldMs, foldSpan, readGroups, spansToFold } from './folded-groups.ts'
import { addToRollups } from './rollups.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const first = Date.UTC(2026, 0, 1)
const windowId = 7
const cell = 'confusion:["a","b"]'

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore([])
})
afterAll(() => store?.close())

/** Counts by bin over a whole range. */
const truth = new Map<number, Map<number, number>>()
/** The cell's n by hour. */
const cells = new Map<number, number>()

async function add(at: number, bins: [number, number][]): Promise<void> {
  const hour = Math.floor(at / hourMs) * hourMs
  const counts = new Map(bins)
  const known = truth.get(hour) ?? new Map<number, number>()
  for (const [bin, count] of counts) known.set(bin, (known.get(bin) ?? 0) + count)
  truth.set(hour, known)
  cells.set(hour, (cells.get(hour) ?? 0) + bins[0]![1])
  const delta = {
    windowId,
    bucketMs: hourMs,
    slice: '',
    at: hour,
    sums: new Map(),
    cells: new Map([[cell, { n: bins[0]![1], sum: 1, sumSq: 1, min: 1, max: 1 }]]),
    bins: new Map([['m', binCountsOf(counts)]]),
  }
  await store.db.transaction().execute((tx) => addToRollups(tx, [delta]))
}

async function expectTruth(from: number, to: number, groupMs: number): Promise<void> {
  const groups = await readGroups(store.db, { windowId, bucketMs: hourMs, from, to, groupMs })
  const expected = new Map<number, Map<number, number>>()
  for (const [hour, counts] of truth) {
    if (hour < from || hour >= to) continue
    const at = Math.floor(hour / groupMs) * groupMs
    const known = expected.get(at) ?? new Map<number, number>()
    for (const [bin, count] of counts) known.set(bin, (known.get(bin) ?? 0) + count)
    expected.set(at, known)
  }
  for (const { at, cells: found } of groups) {
    const hours = [...cells].filter(([hour]) => hour >= Math.max(at, from) && hour < Math.min(at + groupMs, to))
    expect(found.get(cell)!.n).toBe(hours.reduce((total, [, n]) => total + n, 0))
  }
  const sorted = (counts: ReadonlyMap<number, number>) => [...counts].sort(([a], [b]) => a - b)
  expect(groups.map(({ at, bins }) => [at, pairsOf(bins.get('m')!)])).toEqual(
    [...expected].sort(([a], [b]) => a - b).map(([at, counts]) => [at, sorted(counts)]),
  )
}

const fold = async (before: number) => {
  const spans = await spansToFold(store.db, windowId, before)
  for (const span of spans) await store.db.transaction().execute((tx) => foldSpan(tx, windowId, span))
  return spans
}

test('a range reads the same from hours, from folded half days, and after late arrivals', async () => {
  const random = randomFrom(11)
  for (let hour = 0; hour < 80; hour++) {
    await add(first + hour * hourMs, [
      [Math.floor(random() * 9) - 4, 1 + Math.floor(random() * 5)],
      [131_000, 2 ** 33],
    ])
  }
  const ranges = [
    [0, 80],
    [5, 71],
    [24, 48],
    [23, 49],
    [30, 40],
  ]
  const all = async () => {
    for (const [from, to] of ranges) {
      for (const groupMs of [hourMs, 6 * hourMs, 12 * hourMs, dayMs, 2 * dayMs]) {
        await expectTruth(first + from! * hourMs, first + to! * hourMs, groupMs)
      }
    }
  }
  await all()
  expect(await fold(first + 80 * hourMs)).toEqual([0, 1, 2, 3, 4, 5].map((i) => first + i * foldMs))
  await all()
  await add(first + 30 * hourMs, [[-131_000, 3]])
  await all()
  expect(await fold(first + 80 * hourMs)).toEqual([first + 2 * foldMs])
  expect(await fold(first + 80 * hourMs)).toEqual([])
  await all()
})
