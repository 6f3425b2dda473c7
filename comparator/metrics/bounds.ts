import type { Policy } from '../../vocabulary/policy.ts'
import { type Cluster, clusteredMean } from '../statistics/clustered-mean.ts'
import { confidenceSequenceRadius } from '../statistics/confidence-sequence.ts'
import { positiveInterval, shareInterval } from '../statistics/curved-interval.ts'
import { jackknife } from '../statistics/jackknife.ts'
import { type Deviation, longRunError } from '../statistics/long-run-error.ts'
import { type Interval, proportionSequence } from '../statistics/proportion-sequence.ts'
import type { Sum } from '../statistics/sums.ts'
import type { Support } from './catalogue.ts'
import { groupsMax, type RollupRange } from './rollup-range.ts'

/** Fewer say nothing of how much one bucket differs from the next. */
export const clustersMin = 5

/** What the width of a bound depends on beside the evidence. */
export interface Confidence {
  alpha: number
  /** Units in a full window, about which the sequence is narrowest. */
  bucketsPlanned: number
  groupsPlanned: number
}

export function confidenceOf(policy: Policy, range: RollupRange): Confidence {
  const bucketsPlanned = Math.max(clustersMin, Math.ceil(policy.window.duration / range.bucketMs))
  return {
    alpha: 1 - policy.confidence,
    bucketsPlanned,
    groupsPlanned: Math.min(groupsMax, bucketsPlanned),
  }
}

/** The clusters of a measure: one a bucket that holds it. */
export function clustersOf(range: RollupRange, measure: string): Sum[] {
  const clusters: Sum[] = []
  for (const { sums } of range.buckets) {
    const sum = sums.get(measure)
    if (sum !== undefined) clusters.push(sum)
  }
  return clusters
}

/**
 * What the bound would be with this many times the evidence, of which what is there is typical: at 1, the bound itself.
 * `null` where there is too little for one, or too much doubt of it.
 */
export type Projection = (growth: number) => Interval | null

/**
 * The bound of a mean: the asymptotic confidence sequence over clusters, given in the order of time; for shares,
 * differences of two and whatever else has both ends, the wider of that and what single exchanges allow, since clusters that all agree have no spread.
 * `null` below five clusters.
 */
export function boundOfMean(clusters: Sum[], support: Support, alpha: number, planned: number): Interval | null {
  return projectMean(clusters, support, alpha, planned)(1)
}

export function projectMean(clusters: Sum[], support: Support, alpha: number, planned: number): Projection {
  const total = { n: 0, sum: 0, sumSq: 0 }
  for (const { n, sum, sumSq } of clusters) {
    total.n += n
    total.sum += sum
    total.sumSq += sumSq
  }
  const found = clusteredMean(clusters)
  const radiusOf = radiusWith(found, alpha, planned)
  return (growth) => {
    const radius = radiusOf(growth)
    if (found === null || radius === null) return null
    const { mean } = found
    switch (support) {
      case 'real':
        return { lower: mean - radius, upper: mean + radius }
      case 'nonNegative':
        return positiveInterval(mean, radius)
      case 'share':
        return wider(shareInterval(mean, radius), exchangeSequence(grown(total, growth), support, alpha), 0)
      case 'paired':
        return wider(
          { lower: mean - radius, upper: mean + radius },
          exchangeSequence(grown(total, growth), support, alpha),
          -1,
        )
      case 'cosine':
      case 'cosineDistance':
        return onSpan(
          spans[support],
          wider(
            shareInterval(asShare(mean, spans[support]), radius / spanWidth),
            exchangeSequence(grown(total, growth), support, alpha),
            0,
          ),
        )
    }
  }
}

function grown({ n, sum, sumSq }: Moments, growth: number): Moments {
  return { n: n * growth, sum: sum * growth, sumSq: sumSq * growth }
}

/** The least value of what lies within two of it: a straight line makes a share of it, with a share's bound. */
const spans = { cosine: -1, cosineDistance: 0 }
const spanWidth = 2
const asShare = (value: number, least: number) => (value - least) / spanWidth
const onSpan = (least: number, share: Interval | null) =>
  share && { lower: least + spanWidth * share.lower, upper: least + spanWidth * share.upper }

/** What single exchanges, taken as independent of one another, say of a share or of a difference of two. */
function exchangeSequence(
  total: Moments,
  support: 'share' | 'paired' | 'cosine' | 'cosineDistance',
  alpha: number,
): Interval | null {
  if (support === 'share') return proportionSequence(clampTo(total.sum, total.n), total.n, alpha)
  if (support !== 'paired') {
    const sum = (total.sum - spans[support] * total.n) / spanWidth
    return proportionSequence(clampTo(sum, total.n), total.n, alpha)
  }
  // Of values −1, 0 and 1: Σx = n₊ − n₋ and Σx² = n₊ + n₋.
  const gains = proportionSequence(clampTo((total.sumSq + total.sum) / 2, total.n), total.n, alpha / 2)
  const losses = proportionSequence(clampTo((total.sumSq - total.sum) / 2, total.n), total.n, alpha / 2)
  return gains && losses && { lower: gains.lower - losses.upper, upper: gains.upper - losses.lower }
}

type Moments = Pick<Sum, 'n' | 'sum' | 'sumSq'>

/**
 * The bound of a mean from exchanges that are taken as independent: for a span too short to be cut into clusters, where
 * it describes and does not decide. `null` below five exchanges.
 */
export function boundOfFewBuckets(total: Moments, support: Support, alpha: number): Interval | null {
  if (total.n < clustersMin) return null
  if (support === 'share' || support === 'paired') {
    const sequence = exchangeSequence(total, support, alpha)
    return sequence && clip(sequence, support === 'share' ? 0 : -1, 1)
  }
  if (support === 'cosine' || support === 'cosineDistance') {
    return onSpan(spans[support], exchangeSequence(total, support, alpha))
  }
  const mean = total.sum / total.n
  const variance = Math.max(0, total.sumSq / total.n - mean * mean)
  const widening = Math.sqrt((total.n - 1) / (total.n - 3))
  const sd = Math.sqrt((variance * total.n) / (total.n - 1)) * widening
  const radius = confidenceSequenceRadius(total.n, sd, alpha, total.n)
  const interval = { lower: mean - radius, upper: mean + radius }
  return support === 'nonNegative' ? clip(interval, 0, Number.POSITIVE_INFINITY) : interval
}

/** The bound of a share of exchanges that is only known by clusters of (n, sum). */
export function boundOfShare(clusters: Cluster[], alpha: number, planned: number): Interval | null {
  const sums = clusters.map(({ n, sum }) => ({ n, sum, sumSq: sum, min: 0, max: 1 }))
  return boundOfMean(sums, 'share', alpha, planned)
}

/** Of a statistic whose value is known without each group in turn. `null` below five groups, or where one has none. */
export function projectByJackknife(
  estimate: number,
  leftOut: (number | null)[],
  alpha: number,
  planned: number,
): Projection {
  const jackknifed = jackknife(leftOut)
  const radiusOf = radiusWith(jackknifed, alpha, planned)
  return (growth) => {
    const radius = radiusOf(growth)
    return radius === null || !Number.isFinite(estimate) ? null : { lower: estimate - radius, upper: estimate + radius }
  }
}

/**
 * The sequence's radius once there is so many times the evidence: the error falls with its root. The sequence takes
 * the standard deviation of a unit, error · √t.
 */
function radiusWith(
  found: { standardError: number; deviations: Deviation[] } | null,
  alpha: number,
  planned: number,
): (growth: number) => number | null {
  if (found === null || found.deviations.length < clustersMin) return () => null
  const longRun = longRunError(found.deviations)
  if (longRun === null) return () => null
  const t = found.deviations.length
  const sd = Math.max(longRun, found.standardError) * Math.sqrt(t)
  return (growth) => confidenceSequenceRadius(t * growth, sd, alpha, planned)
}

function wider(a: Interval, b: Interval | null, least: number): Interval | null {
  if (b === null) return null
  return clip({ lower: Math.min(a.lower, b.lower), upper: Math.max(a.upper, b.upper) }, least, 1)
}

export function clip({ lower, upper }: Interval, least: number, greatest: number): Interval {
  return { lower: Math.max(least, lower), upper: Math.min(greatest, upper) }
}

/** Sums of fractions can end a rounding error outside. */
function clampTo(sum: number, n: number): number {
  return Math.min(n, Math.max(0, sum))
}
