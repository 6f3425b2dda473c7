import type { HistogramPair } from '../../../../vocabulary/api.ts'

export interface Bin {
  from: number
  to: number
  /** Shares of the leg's own total, so that unequal totals compare. */
  primary: number
  candidate: number
  /** The bin's width as the axis draws it. */
  width: number
}

/** Shared bins as shares; on a logarithmic axis, a bin that begins at or under zero begins at half its end. */
export function histogramShares(pair: HistogramPair, logarithmic: boolean): Bin[] {
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)
  const share = (count: number | undefined, whole: number) => (whole === 0 ? 0 : (count ?? 0) / whole)
  const primaryTotal = total(pair.primary)
  const candidateTotal = total(pair.candidate)
  return pair.edges.slice(0, -1).flatMap((edge, index) => {
    const to = pair.edges[index + 1]!
    if (logarithmic && to <= 0) return []
    const from = logarithmic && edge <= 0 ? to / 2 : edge
    return [
      {
        from,
        to,
        width: logarithmic ? Math.log(to / from) : to - from,
        primary: share(pair.primary[index], primaryTotal),
        candidate: share(pair.candidate[index], candidateTotal),
      },
    ]
  })
}

/**
 * The outline of one leg's bins, from its first filled one to its last: up, along each, and down again. Heights are
 * densities, so that a leg's area is the same whatever its bins' widths.
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
