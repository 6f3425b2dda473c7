import { type Distribution, firstIndex } from './distribution.ts'

/**
 * Quantile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7, NumPy's default); q in
 * [0, 1]. `null` for an empty sample.
 */
export function quantile(sample: Distribution, q: number): number | null {
  if (sample.total === 0) return null
  const rank = (sample.total - 1) * q
  const below = Math.floor(rank)
  const low = orderStatistic(sample, below)
  const high = orderStatistic(sample, Math.min(below + 1, sample.total - 1))
  return low + (rank - below) * (high - low)
}

/** The value at this rank, from 0. */
function orderStatistic({ values, upTo }: Distribution, rank: number): number {
  return values[firstIndex(values.length, (i) => upTo[i]! > rank)]!
}
