import type { HistogramPair } from '../../vocabulary/api.ts'
import { countUpTo, type Distribution } from '../statistics/distribution.ts'
import { binOf, upperEdgeOf } from '../statistics/log-histogram.ts'
import { quantile } from '../statistics/quantile.ts'

export const histogramBinsMax = 60

/** A few far values would flatten all the rest: this share at either end is counted in the outermost bins. */
const tail = 0.001

/**
 * Two samples counted in shared bins: of equal ratio where all values are positive, each bin whole bins of the rollups,
 * so that none of them falls between two; else of equal width. `null` where both are empty.
 */
export function sharedHistogram(primary: Distribution, candidate: Distribution): HistogramPair | null {
  const sides = [primary, candidate].filter((side) => side.total > 0)
  if (sides.length === 0) return null
  const least = Math.min(...sides.map((side) => quantile(side, tail)!))
  const greatest = Math.max(...sides.map((side) => quantile(side, 1 - tail)!))
  const edges = edgesBetween(least, greatest)
  return { edges, primary: countsBetween(primary, edges), candidate: countsBetween(candidate, edges) }
}

function edgesBetween(least: number, greatest: number): number[] {
  if (least > 0) return wholeBinEdges(binOf(least) - 1, binOf(greatest))
  const margin = least === greatest ? Math.abs(least) * 0.005 || 1e-9 : 0
  const width = (greatest - least + 2 * margin) / histogramBinsMax
  return Array.from({ length: histogramBinsMax + 1 }, (_, i) => least - margin + i * width)
}

function wholeBinEdges(first: number, last: number): number[] {
  const step = Math.ceil((last - first) / histogramBinsMax)
  return Array.from({ length: Math.ceil((last - first) / step) + 1 }, (_, i) => upperEdgeOf(first + i * step))
}

function countsBetween(sample: Distribution, edges: number[]): number[] {
  const upTo = [0, ...edges.slice(1, -1).map((edge) => countUpTo(sample, edge)), sample.total]
  return upTo.slice(1).map((count, i) => count - upTo[i]!)
}
