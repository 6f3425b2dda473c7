import type { ValidationConfig } from '../../comparator/config.ts'
import { knowValidation } from '../../comparator/jobs/comparator.ts'
import { accumulate } from '../../comparator/metrics/accumulate.ts'
import { splitCells } from '../../comparator/metrics/split-cells.ts'
import type { BinCounts } from '../../comparator/statistics/bin-counts.ts'
import { type Bins, mergeBins } from '../../comparator/statistics/bin-counts.ts'
import type { Sums } from '../../comparator/statistics/sums.ts'
import type { Db } from '../../comparator/store/open-database.ts'
import type { Rollup } from '../../comparator/store/rollup-rows.ts'
import { addToRollups } from '../../comparator/store/rollups.ts'
import { insertWindow } from '../../comparator/store/windows.ts'
import { days } from './plan.ts'
import { sampleContributions } from './sample.ts'

const hourMs = 3_600_000
const hours = days * 24
const sampleSize = 2_000

/**
 * Writes the rollups that `size` observations over a month leave: of each hour as many as its share of a day's course,
 * drawn from a sample. Only rollups are made, by the comparator's own code; no observation is stored.
 */
export async function fillMonth(db: Db, config: ValidationConfig, size: number): Promise<void> {
  const validation = knowValidation(config)
  const sample = sampleContributions(validation.policy, sampleSize)
  const whole = accumulate(sample)
  const end = Math.floor(Date.now() / hourMs) * hourMs
  const began = end - hours * hourMs
  const windowId = await db.transaction().execute((tx) =>
    insertWindow(tx, {
      validation: validation.name,
      primary_version: '1',
      candidate_version: '1',
      candidate_digest: '',
      policy: validation.policy,
      policy_digest: validation.digest,
      bucket_ms: validation.bucketMs,
      began_at: new Date(began),
      last_at: new Date(end - 1),
      slice_values: {},
      revision: 1,
    }),
  )
  const deltas: Rollup[] = []
  let made = 0
  for (let hour = 0; hour < hours; hour++) {
    const count = Math.round(shareUpTo(hour + 1) * size) - made
    made += count
    const times = Math.floor(count / sampleSize)
    const rest = accumulate(drawn(sample, count % sampleSize))
    const key = { windowId, bucketMs: validation.bucketMs, slice: '', at: began + hour * hourMs }
    const { sums, bins } = added(rest, whole, times)
    deltas.push({ ...key, ...splitCells(sums), bins })
  }
  for (let at = 0; at < deltas.length; at += 24) {
    await db.transaction().execute((tx) => addToRollups(tx, deltas.slice(at, at + 24)))
  }
}

/** The share of a month's traffic that its first hours have: nights have a fifth of a day's peak. */
function shareUpTo(hour: number): number {
  return hour / hours + (0.66 / hours) * (24 / (2 * Math.PI)) * (1 - Math.cos((2 * Math.PI * hour) / 24))
}

function drawn<Item>(sample: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, () => sample[Math.floor(Math.random() * sample.length)]!)
}

/** `rest` and `times` × `whole`. */
function added(rest: { sums: Sums; bins: Bins }, whole: { sums: Sums; bins: Bins }, times: number) {
  if (times === 0) return rest
  for (const [measure, { n, sum, sumSq, min, max }] of whole.sums) {
    const known = rest.sums.get(measure) ?? { n: 0, sum: 0, sumSq: 0, min, max }
    rest.sums.set(measure, {
      n: known.n + times * n,
      sum: known.sum + times * sum,
      sumSq: known.sumSq + times * sumSq,
      min: Math.min(known.min, min),
      max: Math.max(known.max, max),
    })
  }
  const scaled = [...whole.bins].map(([measure, { bins, counts }]): [string, BinCounts] => [
    measure,
    { bins, counts: counts.map((count) => times * count) },
  ])
  return { sums: rest.sums, bins: mergeBins([rest.bins, new Map(scaled)]) }
}
