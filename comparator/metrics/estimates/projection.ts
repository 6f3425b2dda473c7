import type { Edges } from '../../../vocabulary/bounded.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { type Cluster, clusteredMean } from '../../statistics/clustered-mean.ts'
import { confidenceSequenceRadius } from '../../statistics/confidence-sequence.ts'
import { around, type Interval } from '../../statistics/interval.ts'
import { jackknife } from '../../statistics/jackknife.ts'
import { type Deviation, longRunError, neighbourCorrelation } from '../../statistics/long-run-error.ts'
import type { Sum } from '../../statistics/sums.ts'
import { groupsMax, type RollupRange } from '../rollup-range.ts'

/** Fewer clusters cannot tell how much one bucket differs from the next. */
export const clustersMin = 5

/** What the width of a confidence sequence depends on besides the evidence. */
export interface Sequence {
  alpha: number
  /** The number of units at which it is narrowest: those of a full window. */
  planned: number
}

/** The sequences over buckets and over groups of them. */
export type Confidence = Record<'buckets' | 'groups', Sequence>

export function confidenceOf(policy: Policy, range: RollupRange): Confidence {
  const alpha = 1 - policy.confidence
  const planned = Math.max(clustersMin, Math.ceil(policy.window.duration / range.bucketMs))
  return { buckets: { alpha, planned }, groups: { alpha, planned: Math.min(groupsMax, planned) } }
}

/** The clusters of a measure: one for each bucket that has it. */
export function clustersOf(range: RollupRange, measure: string): Sum[] {
  const clusters: Sum[] = []
  for (const { sums } of range.buckets) {
    const sum = sums.get(measure)
    if (sum !== undefined) clusters.push(sum)
  }
  return clusters
}

/**
 * The bound at a multiple of the present evidence, if further evidence is like it; at 1, the bound itself. `null` where
 * there is too little evidence for a bound, or its spread is too uncertain.
 */
export type Projection = (growth: number) => Interval | null

/** How units of time differ, with each one's deviation, in order. */
interface Spread {
  standardError: number
  deviations: Deviation[]
}

const spreadMin = 1e-9

/** Whether units differ by rounding only. */
export function isRounding({ standardError, deviations }: Spread, estimate: number): boolean {
  return deviations.length >= clustersMin && standardError <= spreadMin * Math.abs(estimate)
}

/** Whether an interval is wider than rounding would make it. */
export function hasSpread(interval: Edges | null, estimate: number): boolean {
  if (interval === null || interval.lower === null || interval.upper === null) return true
  return interval.upper - interval.lower > spreadMin * Math.abs(estimate)
}

/** The correlation of neighbouring units of time; `null` if there are too few, or if nothing differs. */
export function correlationOf(found: Spread | null, estimate: number): number | null {
  return found === null || isRounding(found, estimate) ? null : neighbourCorrelation(found.deviations)
}

/**
 * The bound of a statistic from its values without each group. `null` for fewer than five groups, or if one is `null`.
 */
export function projectByJackknife(estimate: number, leftOut: (number | null)[], sequence: Sequence): Projection {
  return projectSpread(estimate, jackknife(leftOut), sequence)
}

/** The lower bound of a mean over groups, which may have no spread. */
export function projectLower(groups: Cluster[], sequence: Sequence): (growth: number) => number | null {
  const found = clusteredMean(groups)
  const projection = projectSpread(found?.mean ?? Number.NaN, found, sequence)
  return (growth) => projection(growth)?.lower ?? null
}

function projectSpread(estimate: number, found: Spread | null, sequence: Sequence): Projection {
  const radiusOf = radiusWith(found, estimate, sequence)
  return (growth) => {
    const radius = radiusOf(growth)
    return radius !== null && Number.isFinite(estimate) ? around(estimate, radius) : null
  }
}

/**
 * The radius of the sequence at a multiple of the present evidence; the error falls with its square root. The sequence
 * takes the standard deviation of one unit, which is error · √t.
 */
export function radiusWith(
  found: Spread | null,
  estimate: number,
  { alpha, planned }: Sequence,
  errorMin = 0,
): (growth: number) => number | null {
  if (found === null || found.deviations.length < clustersMin) return () => null
  const error = errorOf(found, estimate)
  if (error === null) return () => null
  const t = found.deviations.length
  const sd = Math.max(error, errorMin) * Math.sqrt(t)
  return (growth) => confidenceSequenceRadius(t * growth, sd, alpha, planned)
}

/** Units that differ by rounding only count as equal: correlated rounding errors of neighbours are no correlation. */
function errorOf(found: Spread, estimate: number): number | null {
  if (isRounding(found, estimate)) return longRunError(found.deviations.map(({ weight }) => ({ deviation: 0, weight })))
  const longRun = longRunError(found.deviations)
  return longRun === null ? null : Math.max(longRun, found.standardError)
}
