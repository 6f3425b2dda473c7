import type { Deviation } from './long-run-error.ts'

/** One cluster (a time bucket) of a measure. */
export interface Cluster {
  n: number
  sum: number
}

interface ClusteredMean {
  mean: number
  /** Robust against correlation within clusters. */
  standardError: number
  /** Each cluster's sum − θn, in their order. */
  deviations: Deviation[]
}

/**
 * Ratio estimate θ = Σsum/Σn over clusters, with the linearised (Taylor) cluster-robust standard error
 * √(B/(B−1) · Σ(sum − θn)²) / Σn (Cochran 1977, §6.6). `null` below two clusters.
 */
export function clusteredMean(clusters: Cluster[]): ClusteredMean | null {
  const count = clusters.length
  let n = 0
  let sum = 0
  for (const cluster of clusters) {
    n += cluster.n
    sum += cluster.sum
  }
  if (count < 2 || n <= 0) return null
  const mean = sum / n
  const deviations = clusters.map((cluster) => ({ deviation: cluster.sum - mean * cluster.n, weight: cluster.n }))
  let squares = 0
  for (const { deviation } of deviations) squares += deviation ** 2
  return { mean, standardError: Math.sqrt((count / (count - 1)) * squares) / n, deviations }
}
