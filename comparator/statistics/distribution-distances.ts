import type { Distribution } from './distribution.ts'

export interface DistributionDistances {
  /** Kolmogorov–Smirnov statistic of two samples: max |F−G|, in [0, 1] (Smirnov 1939). */
  ks: number
  /**
   * Wasserstein-1 (earth mover's) distance: ∫|F−G|, in the values' unit (Vallender 1974, "Calculation of the
   * Wasserstein distance between probability distributions on the line").
   */
  wasserstein: number
}

/** Distances between two empirical distribution functions F and G, in one pass. `null` where a sample is empty. */
export function distributionDistances(a: Distribution, b: Distribution): DistributionDistances | null {
  if (a.total === 0 || b.total === 0) return null
  const [valuesA, valuesB] = [a.values, b.values]
  let ks = 0
  let wasserstein = 0
  let previous = 0
  let gap = 0
  for (let i = 0, j = 0; i < valuesA.length || j < valuesB.length; ) {
    const nextA = i < valuesA.length ? valuesA[i]! : Number.POSITIVE_INFINITY
    const nextB = j < valuesB.length ? valuesB[j]! : Number.POSITIVE_INFINITY
    const x = Math.min(nextA, nextB)
    if (gap > 0) wasserstein += gap * (x - previous)
    while (i < valuesA.length && valuesA[i] === x) i++
    while (j < valuesB.length && valuesB[j] === x) j++
    gap = Math.abs((i > 0 ? a.upTo[i - 1]! : 0) / a.total - (j > 0 ? b.upTo[j - 1]! : 0) / b.total)
    if (gap > ks) ks = gap
    previous = x
  }
  return { ks, wasserstein }
}
