import type { Distribution } from './distribution.ts'
import { firstIndex } from './first-index.ts'
import { relativeError } from './log-histogram.ts'

/**
 * Quantile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, NumPy's default); q in
 * [0, 1]. `null` for an empty sample.
 */
export function quantile(sample: Distribution, q: number): number | null {
  return interpolated(sample, q, orderStatistic)
}

/**
 * The same for a histogram, taking values as evenly spread over their bin. Used to compare two quantiles: with values
 * that step from bin to bin, a jackknife would show no error, or one of a whole step.
 */
export function quantileOfBins(sample: Distribution, q: number): number | null {
  return interpolated(sample, q, evenOrderStatistic)
}

/** Number of ranks, on either side of a quantile's own, that its smooth form averages over. */
const ranksBeside = 10

/**
 * A smooth form of `quantileOfBins`, for a jackknife: the mean over the ranks within two standard errors of the
 * quantile's own, 2·√(q(1−q)/n). Where values were rounded, or none lie beside the quantile, that of a single rank would
 * show no error, or one of a whole step.
 */
export function smoothQuantile(sample: Distribution, q: number): number | null {
  if (sample.total === 0) return null
  const reach = 2 * Math.sqrt((q * (1 - q)) / sample.total)
  let sum = 0
  for (let i = -ranksBeside; i <= ranksBeside; i++) {
    sum += quantileOfBins(sample, Math.min(1, Math.max(0, q + (reach * i) / ranksBeside)))!
  }
  return sum / (2 * ranksBeside + 1)
}

function interpolated(sample: Distribution, q: number, valueAt: typeof orderStatistic): number | null {
  if (sample.total === 0) return null
  const rank = (sample.total - 1) * q
  const below = Math.floor(rank)
  const low = valueAt(sample, below)
  const high = valueAt(sample, Math.min(below + 1, sample.total - 1))
  return low + (rank - below) * (high - low)
}

/** The value at this rank, counted from 0. */
function orderStatistic({ values, upTo }: Distribution, rank: number): number {
  return values[firstIndex(values.length, (i) => upTo[i]! > rank)]!
}

/** The same, at the middle of its own part of the bin; a single value lies at the bin's value. */
function evenOrderStatistic({ values, upTo }: Distribution, rank: number): number {
  const bin = firstIndex(values.length, (i) => upTo[i]! > rank)
  const below = upTo[bin - 1] ?? 0
  const place = (rank - below + 0.5) / (upTo[bin]! - below)
  return values[bin]! + Math.abs(values[bin]!) * relativeError * (2 * place - 1)
}
