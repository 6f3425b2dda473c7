import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classification, observation, regression, scores } from '../../../test/support/comparator.ts'
import { openTestStore } from '../../../test/support/intake.ts'
import type { Observation } from '../../../vocabulary/observation.ts'
import { sampleKeyOf } from '../../metrics/name-sample.ts'
import { randomFrom } from '../../metrics/rollups.fixture.ts'
import { mergeBins, pairsOf } from '../../statistics/bin-counts.ts'
import { mergeSums, type Sums } from '../../statistics/sums.ts'
import { examplesMax } from '../../store/observations/examples.ts'
import { listTypical } from '../../store/observations/typical.ts'
import { binsDecoder, sumsDecoder } from '../../store/rollups/rollup-bytes.ts'
import { expire } from '../expire.ts'
import { currentWindow } from '../gate/read-evidence.ts'
import { viewObservations } from '../views/view-observations.ts'
import { viewSlices } from '../views/view-slices.ts'
import { acceptLabels } from './accept-labels.ts'
import { acceptObservations } from './accept-observations.ts'
import { keptExamplesOf } from './kept-examples.ts'

const hourMs = 3_600_000
const month = { duration: '30d', samplesMin: 10, coverageMin: 0.5 }
const validations = [
  { ...classification, window: month, slices: [{ name: 'tenant', header: 'x-tenant' }] },
  { ...classification, name: 'examples', window: month },
  { ...regression, name: 'budget', window: month, store: { bodies: 'all', bytesMax: '2KiB' } },
  { ...regression, name: 'worst', window: month, store: { bodies: 'worst' } },
  { ...regression, name: 'failing', window: month, store: { bodies: 'worst' } },
  { ...regression, name: 'equals', window: month, store: { bodies: 'worst' } },
]

let store: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  store = await openTestStore(validations)
})
afterAll(() => store?.close())

function streamOf(validation: string, count: number, seed: number): Observation[] {
  const random = randomFrom(seed)
  const noon = Math.floor(Date.now() / hourMs) * hourMs
  return Array.from({ length: count }, (_, i) => {
    const outcome = Math.floor(random() * 9)
    const one = observation({
      validation,
      at: noon - Math.floor(random() * 5 * hourMs),
      correlationId: `${validation}-${seed}-${i}`,
      primary: outcome === 0 ? { kind: 'reset', totalMs: 3 } : scores(Math.floor(random() * 3)),
      candidate: outcome === 1 ? { kind: 'timedOut', totalMs: 500 } : scores(Math.floor(random() * 3)),
      primaryMs: 5 + 40 * random(),
      candidateMs: 5 + 40 * random(),
    })
    const tenant = Math.floor(random() ** 2 * 80)
    const headers: Record<string, string> = tenant === 0 ? {} : { 'x-tenant': `t${tenant}` }
    const path = random() < 0.5 ? '/a' : `/b?n=${i}`
    return { ...one, request: { ...one.request, path, headers, bodyBytes: Math.floor(10 ** (5 * random())) } }
  })
}

async function deliver(stream: Observation[], random: () => number, isNewWriter: () => boolean, sizeMax = 60) {
  for (let at = 0; at < stream.length; ) {
    const size = 1 + Math.floor(random() * sizeMax)
    if (isNewWriter()) keptExamplesOf(store.db).forget()
    await acceptObservations(store.comparator, stream.slice(at, at + size))
    at += size
  }
}

/** The sum over a dimension's slices, by bucket and measure. */
async function summed(windowId: number, dimension: string) {
  const isWanted = dimension === '' ? sql`slice = ''` : sql`starts_with(slice, ${`${dimension}=`})`
  const bucketMs = dimension === '' ? hourMs : 6 * hourMs
  const { rows } = await sql<{ at: Date; sums: Uint8Array; cells: Uint8Array; bins: Uint8Array }>`
    select date_bin('6 hours', at, '1970-01-01T00:00:00Z') as at, sums, cells, bins from rollup
    where window_id = ${windowId} and bucket_ms = ${bucketMs} and ${isWanted}
  `.execute(store.db)
  const [sumsIn, binsIn] = [sumsDecoder(), binsDecoder()]
  const buckets = [...Map.groupBy(rows, ({ at }) => at.toISOString())].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    sums: buckets.flatMap(([at, of]) => {
      const sums: Sums = new Map()
      for (const row of of) for (const packed of [row.sums, row.cells]) mergeSums(sums, sumsIn(packed))
      return [...sums].sort().map(([measure, { sumSq, ...rest }]) => ({ at, measure, ...rest }))
    }),
    bins: buckets.flatMap(([at, of]) =>
      [...mergeBins(of.map(({ bins }) => binsIn(bins)))]
        .sort()
        .map(([measure, counts]) => [at, measure, pairsOf(counts)]),
    ),
  }
}

describe('the slices of a dimension', () => {
  test.each([1, 2])('partition the traffic: their rollups add up to those of all traffic (seed %i)', async (seed) => {
    await sql`truncate observation, observation_body, example, label, rollup, evidence_window
      cascade`.execute(store.db)
    keptExamplesOf(store.db).forget()
    const random = randomFrom(seed)
    const stream = streamOf('digits', 300, seed)
    const labels = stream.map(({ correlationId }) => ({ validation: 'digits', correlationId, label: '1' }))
    await acceptLabels(store.comparator, labels.slice(0, 100))
    await deliver(stream, random, () => random() < 0.3)
    await deliver(stream.slice(0, 50), random, () => false)
    await acceptLabels(store.comparator, labels.slice(100, 250))

    const window = (await currentWindow(store.db, store.comparator.validations.get('digits')!))!
    expect(window.slice_values.tenant!.length).toBeGreaterThan(40)
    const all = await summed(window.id, '')
    expect(all.sums.length).toBeGreaterThan(25)
    expect(all.sums.some(({ measure }) => measure === 'accuracy.drift')).toBe(true)
    for (const dimension of ['route', 'bodySize', 'class', 'tenant']) {
      const parts = await summed(window.id, dimension)
      expect(parts.bins).toEqual(all.bins)
      expect(parts.sums.map(({ sum, ...rest }) => rest)).toEqual(all.sums.map(({ sum, ...rest }) => rest))
      for (const [i, { sum }] of parts.sums.entries()) expect(sum).toBeCloseTo(all.sums[i]!.sum, 6)
    }

    const view = await viewSlices(store.comparator, store.comparator.validations.get('digits')!, {})
    expect(view).toMatchObject({ metric: 'agreement', better: 'higher' })
    for (const dimension of ['route', 'bodySize', 'class', 'hour', 'tenant']) {
      const slices = view.slices.filter((slice) => slice.dimension === dimension)
      expect(slices.length).toBe(view.dimensions.find(({ name }) => name === dimension)!.values)
      expect(slices.reduce((n, slice) => n + slice.n, 0)).toBe(view.overall.n)
      expect(slices.reduce((share, slice) => share + slice.share, 0)).toBeCloseTo(1, 9)
      const weighted = slices.reduce((sum, { estimate, n }) => sum + (estimate ?? 0) * n, 0) / view.overall.n
      expect(weighted).toBeCloseTo(view.overall.estimate!, 9)
    }
  })

  test.each(['kappa', 'latency.candidate.p90', 'outputDrift.ks', 'maxAbsError'])(
    'have %s, or are refused it',
    async (metric) => {
      const known = store.comparator.validations.get('digits')!
      const view = viewSlices(store.comparator, known, { metric })
      if (metric === 'maxAbsError') return expect(view).rejects.toThrow(/expected one of agreement/)
      const { slices, overall } = await view
      const route = slices.filter(({ dimension }) => dimension === 'route')
      expect(route.reduce((n, slice) => n + slice.n, 0)).toBe(overall.n)
      expect(route.every(({ estimate }) => estimate !== null)).toBe(true)
    },
  )
})

describe('typical examples', () => {
  test('are the same uniform sample for any order of the stream, and are paged without gaps', async () => {
    const found: string[][] = []
    for (const seed of [1, 2]) {
      await sql`truncate observation, observation_body, example, rollup, evidence_window
        cascade`.execute(store.db)
      keptExamplesOf(store.db).forget()
      const random = randomFrom(seed)
      const stream = streamOf('examples', 800, 5).map((one, i) => ({ ...one, id: idOf(one, i) }))
      if (seed === 2) stream.reverse()
      await deliver(stream, random, () => random() < 0.3, 200)
      await expire(store.comparator)
      const { id: windowId } = (await currentWindow(store.db, store.comparator.validations.get('examples')!))!
      const first = await listTypical(store.db, { windowId, slice: '', limit: 100 })
      const last = first.at(-1)!
      const next = await listTypical(store.db, {
        windowId,
        slice: '',
        limit: 1000,
        after: { key: last.sample_key, id: last.id },
      })
      const ids = [...first, ...next].map(({ id }) => id)
      found.push(ids)

      const days = new Set(stream.map(({ at }) => at.slice(0, 10))).size
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBeGreaterThanOrEqual(examplesMax.typical.all)
      expect(ids.length).toBeLessThanOrEqual(days * examplesMax.typical.all)
      const least = stream.map(({ id }) => id).sort((a, b) => sampleKeyOf(a) - sampleKeyOf(b) || (a < b ? -1 : 1))
      expect(ids).toEqual(least.slice(0, ids.length))

      const slice = await listTypical(store.db, { windowId, slice: 'class=1', limit: 500 })
      expect(slice.length).toBeGreaterThanOrEqual(examplesMax.typical.slice)
      expect(slice.every((row) => row.slices!.class === '1')).toBe(true)
      const failed = await listTypical(store.db, { windowId, slice: '', limit: 500, comparison: 'failed' })
      expect(failed.length).toBeGreaterThan(0)
      expect(failed.every((row) => row.comparison === 'failed')).toBe(true)
    }
    expect(found[0]).toEqual(found[1])
  })

  test('are spread evenly, as if drawn at random', () => {
    const random = randomFrom(20)
    const hex = (digits: number) =>
      Math.floor(random() * 16 ** digits)
        .toString(16)
        .padStart(digits, '0')
    // the same in every run: of ids drawn anew, one set in a thousand is as uneven as the bound
    const ids = Array.from({ length: 20_000 }, () => `019a0000-0000-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`)
    const places = ids.map((id) => Math.floor(sampleKeyOf(id) * 20))
    const counts = Array.from({ length: 20 }, (_, bin) => places.filter((place) => place === bin).length)
    // χ² of 19 degrees of freedom exceeds 43.8 once in a thousand
    expect(counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(43.8)
  })
})

/** An id that depends only on the place in the stream. */
function idOf({ at }: Observation, i: number): string {
  const time = Date.parse(at).toString(16).padStart(12, '0')
  const tail = Math.floor(sampleKeyOf(String(i)) * 2 ** 32).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${(tail + i.toString(16)).padStart(12, '0')}`
}

describe('bodies', () => {
  const priced = (validation: string, error: number, more: object = {}) =>
    observation({ validation, at: Date.now(), primary: { prediction: 0 }, candidate: { prediction: error }, ...more })
  const bytesOf = async (validation: string) => {
    const { rows } = await sql<{ bytes: number; count: number }>`
      select coalesce(sum(b.bytes), 0)::bigint as bytes, count(*)::bigint as count from observation_body b
      join observation o on o.id = b.observation_id where o.validation = ${validation}`.execute(store.db)
    return rows[0]!
  }

  test('never exceed the byte budget; dropped ones are counted, and the worst stay', async () => {
    const kept = keptExamplesOf(store.db)
    const worst = priced('budget', 1e6)
    await acceptObservations(store.comparator, [worst, ...Array.from({ length: 200 }, (_, i) => priced('budget', i))])
    const full = await bytesOf('budget')
    expect(full.bytes).toBeLessThanOrEqual(2048)
    expect(full.bytes).toBeGreaterThan(1900)
    expect(kept.dropped.get('budget')).toBe(201 - full.count)

    await expire(store.comparator)
    const rest = await bytesOf('budget')
    expect(rest.bytes).toBeLessThanOrEqual(0.9 * 2048)
    expect(kept.dropped.get('budget')).toBe(201 - rest.count)
    const { rows } = await sql`select 1 from observation_body where observation_id = ${worst.id}`.execute(store.db)
    expect(rows).toHaveLength(1)
    // now there is room again
    await acceptObservations(store.comparator, [priced('budget', 2e6)])
    expect((await bytesOf('budget')).count).toBe(rest.count + 1)
  })

  test('that are dropped in a transaction that is undone and runs again are counted once', async () => {
    let isUndone = false
    const db = store.db.withPlugin({
      transformQuery({ node }) {
        // the last statement of the first try
        if (!isUndone && JSON.stringify(node).includes('insert into rollup')) {
          isUndone = true
          throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
        }
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await sql`delete from observation_body`.execute(store.db)
    const bundle = Array.from({ length: 100 }, (_, i) => priced('budget', i))
    expect(await acceptObservations({ ...store.comparator, db }, bundle)).toMatchObject({ accepted: 100 })
    expect(isUndone).toBe(true)
    expect(keptExamplesOf(db).dropped.get('budget')).toBe(100 - (await bytesOf('budget')).count)
  })

  test('are chosen even if expiry makes the process forget its examples during the transaction', async () => {
    const kept = keptExamplesOf(store.db)
    let isOver = false
    const forgetting = (async () => {
      while (!isOver) {
        kept.forget()
        await setImmediate()
      }
    })()
    const bundle = Array.from({ length: 300 }, (_, i) => priced('budget', i))
    const receipt = await acceptObservations(store.comparator, bundle).finally(() => {
      isOver = true
    })
    await forgetting
    expect(receipt).toEqual({ accepted: 300, duplicates: 0, rejected: [] })
    expect((await bytesOf('budget')).bytes).toBeLessThanOrEqual(2048)
  })

  test('are kept for the worst of all traffic and of each slice, and for typical ones', async () => {
    const good = Array.from({ length: 300 }, () => priced('worst', 0))
    const bad = Array.from({ length: 300 }, (_, i) => priced('worst', 1000 + i))
    const path = (one: Observation, to: string) => ({ ...one, request: { ...one.request, path: to } })
    const mild = Array.from({ length: 60 }, (_, i) => path(priced('worst', 1 + i), '/rare'))
    await acceptObservations(store.comparator, [...mild, ...good, ...bad])
    await expire(store.comparator)
    const { rows } = await sql<{ id: string; severity: number }>`
      select b.observation_id as id, b.severity from observation_body b join observation o on o.id = b.observation_id
      where o.validation = 'worst'`.execute(store.db)
    const severities = rows.map(({ severity }) => severity).sort((a, b) => b - a)
    const { all } = examplesMax.compared
    expect(severities.slice(0, all)).toEqual(Array.from({ length: all }, (_, i) => 1299 - i))
    for (let i = 0; i < examplesMax.compared.slice; i++) expect(severities).toContain(60 - i)
    const ids = new Set(rows.map(({ id }) => id))
    expect(good.filter(({ id }) => ids.has(id)).length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(400)
  })

  test('are kept for the worst disagreements, however many failures there are', async () => {
    const path = (one: Observation, to: string) => ({ ...one, request: { ...one.request, path: to } })
    const failures = Array.from({ length: 300 }, () =>
      path(priced('failing', 0, { candidate: { prediction: 'none' } }), '/rare'),
    )
    await acceptObservations(store.comparator, failures)
    const apart = Array.from({ length: 120 }, (_, i) => path(priced('failing', 10 + i), '/rare'))
    await acceptObservations(store.comparator, apart)
    await expire(store.comparator)
    const validation = store.comparator.validations.get('failing')!
    const shown = async (more: { comparison: 'failed' | 'compared'; slice?: string }) => {
      const query = { order: 'worst', limit: 200, ...more } as const
      const { observations } = await viewObservations(store.comparator, validation, query)
      return observations.findIndex(({ bodiesKept }) => !bodiesKept)
    }
    expect(await shown({ comparison: 'compared' })).toBe(-1)
    expect(await shown({ comparison: 'failed' })).toBeGreaterThanOrEqual(examplesMax.failed.all)
    expect(await shown({ comparison: 'failed' })).toBeLessThan(200)
  })

  test('are kept for the first ones of the list of the worst where all are equally bad, in any order of arrival', async () => {
    const start = Date.now() - hourMs
    const failures = Array.from({ length: 300 }, (_, i) => {
      const at = start + 1000 * i
      const one = observation({
        validation: 'equals',
        at,
        primary: { prediction: 0 },
        candidate: { prediction: 'none' },
      })
      return { ...one, id: idOf(one, i) }
    })
    const random = randomFrom(7)
    const stream = failures.toSorted(() => random() - 0.5)
    await deliver(stream, random, () => random() < 0.3)
    await expire(store.comparator)
    const validation = store.comparator.validations.get('equals')!
    const page = (cursor?: string) =>
      viewObservations(store.comparator, validation, { order: 'worst', limit: 200, ...(cursor && { cursor }) })
    const first = await page()
    const rest = await page(first.nextCursor!)
    const ids = [...first.observations, ...rest.observations].map(({ id }) => id)
    expect(ids).toEqual(failures.map(({ id }) => id))
    const foremost = first.observations.slice(0, examplesMax.failed.all)
    expect(foremost.filter(({ bodiesKept }) => !bodiesKept)).toEqual([])
  })
})
