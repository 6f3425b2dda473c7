import type { Distribution } from './distribution.ts'

export interface DistributionDistances {
  /** Kolmogorov–Smirnov statistic: max |F−G|, in [0, 1]. */
  ks: number
  /** Wasserstein-1 (earth mover's) distance: ∫|F−G|, in the values' unit. */
  wasserstein: number
}

/** Distances between two empirical distribution functions F and G, in one walk. `null` where a sample is empty. */
export function distributionDistances(a: Distribution, b: Distribution): DistributionDistances | null {
  if (a.total === 0 || b.total === 0) return null
  let ks = 0
  let wasserstein = 0
  let previous = 0
  let gap = 0
  for (let i = 0, j = 0; i < a.values.length || j < b.values.length; ) {
    const x = Math.min(a.values[i] ?? Number.POSITIVE_INFINITY, b.values[j] ?? Number.POSITIVE_INFINITY)
    if (gap > 0) wasserstein += gap * (x - previous)
    while (a.values[i] === x) i++
    while (b.values[j] === x) j++
    gap = Math.abs((i > 0 ? a.upTo[i - 1]! : 0) / a.total - (j > 0 ? b.upTo[j - 1]! : 0) / b.total)
    ks = Math.max(ks, gap)
    previous = x
  }
  return { ks, wasserstein }
}
