import { type Cluster, clusteredMean } from '../../statistics/clustered-mean.ts'
import { confidenceSequenceRadius } from '../../statistics/confidence-sequence.ts'
import { roundingMax } from '../../statistics/correlation.ts'
import { positiveInterval, shareInterval } from '../../statistics/curved-interval.ts'
import { around, clip, hull, type Interval } from '../../statistics/interval.ts'
import { proportionSequence } from '../../statistics/proportion-sequence.ts'
import type { Sum } from '../../statistics/sums.ts'
import { meanWithUnseen, unseenShare } from '../../statistics/unseen-share.ts'
import type { Support } from '../catalogue/metric.ts'
import { clustersMin, isRounding, type Projection, radiusWith, type Sequence } from './projection.ts'

type Moments = Pick<Sum, 'n' | 'sum' | 'sumSq'>

/**
 * The bound of a mean by the asymptotic confidence sequence over clusters, which must be in order of time. For values
 * with a limited range (shares, differences of two, cosines) it is the wider of that and the sequence over single
 * exchanges, since equal clusters have no spread. Other values that were all equal may still have unseen ones of up to
 * `unseenSize` among them; if that is unknown, or no larger than what was seen, one end is infinite. `null` for fewer
 * than five clusters.
 */
export function boundOfMean(
  clusters: Sum[],
  support: Support,
  sequence: Sequence,
  unseenSize?: number,
): Interval | null {
  return projectMean(clusters, support, sequence, unseenSize)(1)
}

export function projectMean(
  clusters: Sum[],
  support: Support,
  sequence: Sequence,
  unseenSize = Number.POSITIVE_INFINITY,
): Projection {
  const { alpha } = sequence
  const total = { n: 0, sum: 0, sumSq: 0 }
  for (const { n, sum, sumSq } of clusters) {
    total.n += n
    total.sum += sum
    total.sumSq += sumSq
  }
  const found = clusteredMean(clusters)
  const isUnbounded = support === 'real' || support === 'nonNegative'
  const errorMin = isUnbounded ? errorOfIndependent(total) : 0
  if (isUnbounded && errorMin === 0 && found !== null && isRounding(found, found.mean)) {
    const { mean } = found
    return (growth) => boundOfConstant(mean, support, unseenShare(total.n * growth, alpha), unseenSize)
  }
  const radiusOf = radiusWith(found, found?.mean ?? Number.NaN, sequence, errorMin)
  return (growth) => {
    const radius = radiusOf(growth)
    if (found === null || radius === null) return null
    const { mean } = found
    switch (support) {
      case 'real':
        return around(mean, radius)
      case 'nonNegative':
        return positiveInterval(mean, radius)
      case 'share':
        return wider(shareInterval(mean, radius), exchangeSequence(grown(total, growth), support, alpha), 0)
      case 'paired':
        return wider(around(mean, radius), exchangeSequence(grown(total, growth), support, alpha), -1)
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

/** The bound of values that were all `mean`, if unseen ones may be as large as `size`. */
function boundOfConstant(mean: number, support: Support, share: number, size: number): Interval {
  const upper = size > Math.abs(mean) ? size : Number.POSITIVE_INFINITY
  return meanWithUnseen(mean, share, { lower: support === 'nonNegative' ? 0 : -upper, upper })
}

/** The standard error of independent exchanges, a minimum: buckets that happen to be alike prove no more. */
function errorOfIndependent({ n, sum, sumSq }: Moments): number {
  const [mean, meanSq] = [sum / n, sumSq / n]
  const variance = meanSq - mean * mean
  return variance > roundingMax * meanSq ? Math.sqrt(variance / n) : 0
}

function grown({ n, sum, sumSq }: Moments, growth: number): Moments {
  return { n: n * growth, sum: sum * growth, sumSq: sumSq * growth }
}

/** The lowest value of ranges of width two. A linear map turns such values into shares, bounded as such. */
const spans = { cosine: -1, cosineDistance: 0 }
const spanWidth = 2
const asShare = (value: number, least: number) => (value - least) / spanWidth
const onSpan = (least: number, share: Interval | null) =>
  share && { lower: least + spanWidth * share.lower, upper: least + spanWidth * share.upper }

/** The sequence over single exchanges, taken as independent, for values with a limited range. */
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
  // for values −1, 0 and 1: Σx = n₊ − n₋ and Σx² = n₊ + n₋
  const gains = proportionSequence(clampTo((total.sumSq + total.sum) / 2, total.n), total.n, alpha / 2)
  const losses = proportionSequence(clampTo((total.sumSq - total.sum) / 2, total.n), total.n, alpha / 2)
  return gains && losses && { lower: gains.lower - losses.upper, upper: gains.upper - losses.lower }
}

/**
 * The bound of a mean from exchanges taken as independent, for a span too short to be cut into clusters. It describes
 * the span, and never decides. `null` for fewer than five exchanges.
 */
export function boundOfFewBuckets(
  total: Moments,
  support: Support,
  alpha: number,
  unseenSize = Number.POSITIVE_INFINITY,
): Interval | null {
  if (total.n < clustersMin) return null
  if (support === 'share' || support === 'paired') {
    const sequence = exchangeSequence(total, support, alpha)
    return sequence && clip(sequence, support === 'share' ? 0 : -1, 1)
  }
  if (support === 'cosine' || support === 'cosineDistance') {
    return onSpan(spans[support], exchangeSequence(total, support, alpha))
  }
  const mean = total.sum / total.n
  const error = errorOfIndependent(total)
  if (error === 0) return boundOfConstant(mean, support, unseenShare(total.n, alpha), unseenSize)
  const sd = error * (total.n / Math.sqrt(total.n - 3))
  const radius = confidenceSequenceRadius(total.n, sd, alpha, total.n)
  const interval = around(mean, radius)
  return support === 'nonNegative' ? clip(interval, 0, Number.POSITIVE_INFINITY) : interval
}

/** The bound of a share of exchanges from clusters of (n, sum). */
export function boundOfShare(clusters: Cluster[], sequence: Sequence): Interval | null {
  const sums = clusters.map(({ n, sum }) => ({ n, sum, sumSq: sum, min: 0, max: 1 }))
  return boundOfMean(sums, 'share', sequence)
}

function wider(a: Interval, b: Interval | null, least: number): Interval | null {
  if (b === null) return null
  return clip(hull(a, b), least, 1)
}

/** Sums of fractions can exceed the range by a rounding error. */
function clampTo(sum: number, n: number): number {
  return Math.min(n, Math.max(0, sum))
}
