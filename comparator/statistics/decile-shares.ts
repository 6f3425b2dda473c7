import { countBelow, type Distribution } from './distribution.ts'
import { quantile } from './quantile.ts'

const bins = 10

/**
 * Shares of both samples in ten bins between the deciles of the first, `edges`. A value on an edge belongs to the bin
 * above it. `null` where a sample is empty.
 */
export function decileShares(a: Distribution, b: Distribution): { edges: number[]; a: number[]; b: number[] } | null {
  if (a.total === 0 || b.total === 0) return null
  const edges = Array.from({ length: bins - 1 }, (_, i) => quantile(a, (i + 1) / bins)!)
  return { edges, a: sharesBetween(a, edges), b: sharesBetween(b, edges) }
}

function sharesBetween(sample: Distribution, edges: number[]): number[] {
  const below = [0, ...edges.map((edge) => countBelow(sample, edge)), sample.total]
  return below.slice(1).map((count, i) => (count - below[i]!) / sample.total)
}
