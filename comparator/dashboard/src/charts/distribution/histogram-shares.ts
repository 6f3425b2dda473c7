import type { Histogram, HistogramPair } from '../../../../../vocabulary/api/histogram.ts'

export interface Bin {
  from: number
  to: number
  /** Share of the leg's own total, so that unequal totals compare. */
  primary: number
  candidate: number
  /** Width of the bin as the axis draws it. */
  width: number
}

/** Shared bins as shares. */
export function histogramShares({ edges, ...counts }: HistogramPair): Bin[] {
  const primary = sharesOf(counts.primary)
  const candidate = sharesOf(counts.candidate)
  return binsOf(edges).map((bin, index) => ({ ...bin, primary: primary[index]!, candidate: candidate[index]! }))
}

/** One sample's bins: `share` of its total, and `density` so that area equals share whatever the bins' widths. */
export function histogramBars({ edges, counts }: Histogram) {
  const shares = sharesOf(counts)
  return binsOf(edges).map(({ from, to, width }, index) => {
    const share = shares[index]!
    return { from, to, count: counts[index]!, share, density: share / width }
  })
}

function binsOf(edges: readonly number[]) {
  const logarithmic = isLogarithmic(edges)
  return edges.slice(1).map((to, index) => {
    const from = edges[index]!
    return { from, to, width: logarithmic ? Math.log(to / from) : to - from }
  })
}

/** Whether the bins have equal ratios: each is wider than the one before, and none is at or below zero. */
export function isLogarithmic(edges: readonly number[]): boolean {
  const [first = 0, second = 0] = edges
  const [last = 0, before = 0] = [edges.at(-1), edges.at(-2)]
  return first > 0 && edges.length > 2 && (last - before) / (second - first) > 1.01
}

/** Maps a value between the first and the last edge to [0, 1]. */
export function placeBetween(edges: readonly number[]): (value: number) => number {
  const logarithmic = isLogarithmic(edges)
  const scale = (value: number) => (logarithmic ? Math.log(Math.max(value, Number.MIN_VALUE)) : value)
  const [from, to] = [scale(edges[0]!), scale(edges.at(-1)!)]
  return (value) => (scale(value) - from) / (to - from)
}

/**
 * The outline of one leg's bins from its first to its last non-empty one. Heights are densities, so that a leg's area
 * is the same whatever its bins' widths.
 */
export function stepOutline(bins: Bin[], leg: 'primary' | 'candidate'): { x: number; y: number }[] {
  const filled = bins.slice(
    bins.findIndex((bin) => bin[leg] > 0),
    bins.findLastIndex((bin) => bin[leg] > 0) + 1,
  )
  const first = filled[0]
  const last = filled.at(-1)
  if (!first || !last) return []
  return [
    { x: first.from, y: 0 },
    ...filled.flatMap((bin) => [
      { x: bin.from, y: bin[leg] / bin.width },
      { x: bin.to, y: bin[leg] / bin.width },
    ]),
    { x: last.to, y: 0 },
  ]
}

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (total === 0 ? 0 : count / total))
}
