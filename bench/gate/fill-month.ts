import type { ValidationConfig } from '../../comparator/config.ts'
import { sliceBucketOf } from '../../comparator/jobs/bucket-deltas.ts'
import { knownValidation } from '../../comparator/jobs/comparator.ts'
import { accumulate, splitCells } from '../../comparator/metrics/contributions/accumulate.ts'
import type { Contribution } from '../../comparator/metrics/contributions/contribution.ts'
import { keysOf } from '../../comparator/metrics/contributions/slice-values.ts'
import type { BinCounts } from '../../comparator/statistics/bin-counts.ts'
import { type Bins, mergeBins } from '../../comparator/statistics/bin-counts.ts'
import type { Sums } from '../../comparator/statistics/sums.ts'
import type { Db } from '../../comparator/store/database/open-database.ts'
import { insertWindow } from '../../comparator/store/gate/windows.ts'
import type { BucketKey, Rollup } from '../../comparator/store/rollups/rollup-rows.ts'
import { addToRollups } from '../../comparator/store/rollups/rollups.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { days } from './plan.ts'
import { type Sampled, sampleOf } from './sample.ts'

const hourMs = 3_600_000
const hours = days * 24
const sampleSize = 2_000

/**
 * Writes the rollups that `size` observations over a month would leave, for all traffic and for its slices. Each bucket
 * gets its share according to the time of day, drawn from a sample. The comparator's own code makes the rollups; no
 * observations are stored.
 */
export async function fillMonth(db: Db, config: ValidationConfig, size: number): Promise<void> {
  const validation = knownValidation(config)
  const { policy, bucketMs } = validation
  const sample = sampleOf(policy, sampleSize)
  const end = Math.floor(Date.now() / hourMs) * hourMs
  const span = { began: end - hours * hourMs, end }
  const windowId = await db.transaction().execute((tx) =>
    insertWindow(tx, {
      validation: validation.name,
      primary_version: '1',
      candidate_version: '1',
      primary_digest: '',
      candidate_digest: '',
      policy,
      policy_digest: validation.digest,
      bucket_ms: bucketMs,
      began_at: new Date(span.began),
      last_at: new Date(end - 1),
      slice_values: valuesIn(sample),
      revision: 1,
    }),
  )
  const members = Map.groupBy(
    sample.flatMap((one) => ['', ...keysOf(one.values)].map((slice) => ({ slice, one }))),
    ({ slice }) => slice,
  )
  const sliceMs = sliceBucketOf({ bucket_ms: bucketMs, policy })
  for (const [slice, its] of members) {
    const contributions = its.map(({ one }) => one.contribution)
    const key = { windowId, slice, bucketMs: slice === '' ? bucketMs : sliceMs }
    const deltas = bucketsOf(key, contributions, { ...span, size: (size * its.length) / sampleSize })
    for (let at = 0; at < deltas.length; at += 24) {
      await db.transaction().execute((tx) => addToRollups(tx, deltas.slice(at, at + 24)))
    }
  }
}

/** Maps each dimension to the values that occurred. */
function valuesIn(sample: readonly Sampled[]): Record<string, string[]> {
  const dimensions = Object.keys(sample[0]!.values)
  return Object.fromEntries(dimensions.map((name) => [name, [...new Set(sample.map(({ values }) => values[name]!))]]))
}

/** The buckets of all traffic or one slice, with `size` observations in the month. */
function bucketsOf(
  key: Omit<BucketKey, 'at'>,
  contributions: readonly Contribution[],
  { began, end, size }: { began: EpochMs; end: EpochMs; size: number },
): Rollup[] {
  const whole = accumulate(contributions)
  const rollups: Rollup[] = []
  let made = 0
  for (let at = Math.floor(began / key.bucketMs) * key.bucketMs; at < end; at += key.bucketMs) {
    const upTo = Math.min(at + key.bucketMs, end)
    const count = Math.round(shareUpTo((upTo - began) / hourMs) * size) - made
    made += count
    const rest = accumulate(drawn(contributions, count % contributions.length))
    const { sums, bins } = added(rest, whole, Math.floor(count / contributions.length))
    rollups.push({ ...key, at, ...splitCells(sums), bins })
  }
  return rollups
}

/** The share of a month's traffic in its first hours; at night, traffic is a fifth of the daily peak. */
function shareUpTo(hour: number): number {
  return hour / hours + (0.66 / hours) * (24 / (2 * Math.PI)) * (1 - Math.cos((2 * Math.PI * hour) / 24))
}

function drawn<Item>(sample: readonly Item[], count: number): Item[] {
  return Array.from({ length: count }, () => sample[Math.floor(Math.random() * sample.length)]!)
}

/** Returns `rest` + `times` × `whole`. */
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
