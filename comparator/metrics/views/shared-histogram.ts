import type { Histogram, HistogramPair } from '../../../vocabulary/api/histogram.ts'
import type { Distribution } from '../../statistics/distribution.ts'
import { firstIndex } from '../../statistics/first-index.ts'
import { binOf, relativeError, upperEdgeOf } from '../../statistics/log-histogram.ts'
import { quantile } from '../../statistics/quantile.ts'

const histogramBinsMax = 60

/** This share at either end is counted in the outermost bins, since a few outliers would flatten all the rest. */
const tail = 0.001

/**
 * How bins are cut. `ratio`: if all values are positive, each bin is wider than the one before by the same factor, made
 * of whole bins of the rollups. `width`: equal width, unless positive values span orders of magnitude. `whole`: each
 * bin has the same number of whole numbers.
 */
export type BinScale = 'ratio' | 'width' | 'whole'

/** From this ratio of the greatest to the smallest value on, the first of equally wide bins would hold nearly all. */
const ratioFrom = 50

/** Number of bins of equal width; more would be narrower than the rollups' own. */
const evenBins = 40

/** The tail for signed values, as a few time-outs would stretch bins of equal width too far. */
const signedTail = 0.01

/** A histogram with the observed extremes, if known, since values need not fill its outermost bins. */
export type Sample = Distribution & { min?: number | undefined; max?: number | undefined }

/** One sample in bins. If 0 is inside, it is an edge, so that no bin holds both signs. `null` if empty. */
export function histogramOf(sample: Sample, scale: BinScale): Histogram | null {
  if (sample.total === 0) return null
  const leftOut = quantile(sample, tail)! < 0 ? signedTail : tail
  const least = quantile(sample, leftOut)!
  const greatest = quantile(sample, 1 - leftOut)!
  const edges =
    least < 0 && greatest > 0 ? edgesAroundZero(least, greatest) : edgesBetween(least, greatest, scale, [sample])
  return { edges, counts: countsBetween(sample, edges) }
}

/** Two samples in shared bins. `null` if both are empty. */
export function sharedHistogram(primary: Sample, candidate: Sample, scale: BinScale): HistogramPair | null {
  const sides = [primary, candidate].filter((side) => side.total > 0)
  if (sides.length === 0) return null
  const least = Math.min(...sides.map((side) => quantile(side, tail)!))
  const greatest = Math.max(...sides.map((side) => quantile(side, 1 - tail)!))
  const edges = edgesBetween(least, greatest, scale, sides)
  return { edges, primary: countsBetween(primary, edges), candidate: countsBetween(candidate, edges) }
}

function edgesBetween(least: number, greatest: number, scale: BinScale, sides: readonly Sample[]): number[] {
  if (scale === 'whole') return wholeNumberEdges(Math.round(least), Math.round(greatest))
  const isWide = scale === 'ratio' || greatest / least >= ratioFrom
  if (least > 0 && isWide) return wholeBinEdges(binOf(least) - 1, binOf(greatest))
  // a value represents its whole bin; if edges were at values, half of such a bin would lie outside
  const from = Math.min(...sides.map((side) => spanOf(least, side).from))
  const to = Math.max(...sides.map((side) => spanOf(greatest, side).to))
  // zero alone has no scale; bins start at it, since the values may be of a kind that is never negative
  if (from === 0 && to === 0) return evenEdges(0, 1)
  const margin = from === to ? Math.abs(from) * 0.005 : 0
  return evenEdges(from - margin, to + margin)
}

function evenEdges(from: number, to: number): number[] {
  const width = (to - from) / evenBins
  return Array.from({ length: evenBins + 1 }, (_, i) => from + i * width)
}

function wholeNumberEdges(least: number, greatest: number): number[] {
  const width = Math.ceil((greatest - least + 1) / histogramBinsMax)
  return Array.from({ length: Math.ceil((greatest - least + 1) / width) + 1 }, (_, i) => least - 0.5 + i * width)
}

function edgesAroundZero(least: number, greatest: number): number[] {
  const width = (greatest - least) / (evenBins - 1)
  const first = Math.floor(least / width)
  return Array.from({ length: Math.ceil(greatest / width) - first + 1 }, (_, i) => (first + i) * width)
}

function wholeBinEdges(first: number, last: number): number[] {
  const step = Math.ceil((last - first) / histogramBinsMax)
  return Array.from({ length: Math.ceil((last - first) / step) + 1 }, (_, i) => upperEdgeOf(first + i * step))
}

/** Counts by bin; the outermost bins include all values beyond them. */
function countsBetween(sample: Sample, edges: number[]): number[] {
  const upTo = [0, ...edges.slice(1, -1).map((edge) => Math.round(countBelowEdge(sample, edge))), sample.total]
  return upTo.slice(1).map((count, i) => count - upTo[i]!)
}

/**
 * Takes values as spread evenly over a rollup's bin. Otherwise bins of another width, cut anywhere, would show combs
 * that are not in the data.
 */
function countBelowEdge(sample: Sample, edge: number): number {
  const { values, upTo } = sample
  const cut = firstIndex(values.length, (i) => spanOf(values[i]!, sample).to > edge)
  const below = upTo[cut - 1] ?? 0
  const value = values[cut]
  if (value === undefined) return below
  const { from, to } = spanOf(value, sample)
  const share = to > from ? (edge - from) / (to - from) : 0
  return below + Math.max(0, share) * (upTo[cut]! - below)
}

/** The span of the rollup's bin that this value represents, within the observed extremes. */
function spanOf(
  value: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Sample,
): { from: number; to: number } {
  // the zero bin has no width, unless all observed values are too small for any other bin
  if (value === 0) return binOf(min) === 0 && binOf(max) === 0 ? { from: min, to: max } : { from: 0, to: 0 }
  const [near, far] = [value / (1 + relativeError), value / (1 - relativeError)]
  const [from, to] = value < 0 ? [far, near] : [near, far]
  return { from: Math.max(from, min), to: Math.min(to, max) }
}
