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

/** Shared bins as shares. On a logarithmic axis, a bin that begins at or below zero is drawn from half of its end. */
export function histogramShares(pair: HistogramPair, logarithmic: boolean): Bin[] {
  const primary = sharesOf(pair.primary)
  const candidate = sharesOf(pair.candidate)
  return pair.edges.slice(0, -1).flatMap((edge, index) => {
    const to = pair.edges[index + 1]!
    if (logarithmic && to <= 0) return []
    const from = logarithmic && edge <= 0 ? to / 2 : edge
    const width = logarithmic ? Math.log(to / from) : to - from
    return [{ from, to, width, primary: primary[index]!, candidate: candidate[index]! }]
  })
}

/** One sample's bins: `share` of its total, and `density` so that area equals share whatever the bins' widths. */
export function histogramBars({ edges, counts }: Histogram) {
  const shares = sharesOf(counts)
  const linear = !isLogarithmic(edges)
  return counts.map((count, index) => {
    const [from, to] = [edges[index]!, edges[index + 1]!]
    const share = shares[index]!
    return { from, to, count, share, density: share / (linear ? to - from : Math.log(to / from)) }
  })
}

/** Whether the bins have equal ratios: each is wider than the one before, and none is at or below zero. */
export function isLogarithmic(edges: readonly number[]): boolean {
  const [first = 0, second = 0] = edges
  const [last = 0, before = 0] = [edges.at(-1), edges.at(-2)]
  return first > 0 && edges.length > 2 && (last - before) / (second - first) > 1.01
}

/** Maps a value between the first and the last edge to [0, 1]. */
export function placeBetween(edges: readonly number[], logarithmic: boolean): (value: number) => number {
  const scale = (value: number) => (logarithmic ? Math.log(Math.max(value, Number.MIN_VALUE)) : value)
  const [from, to] = [scale(edges[0]!), scale(edges.at(-1)!)]
  return (value) => (scale(value) - from) / (to - from || 1)
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
