import { type Edges, noEdges } from '../../vocabulary/bounded.ts'
import { countUpTo, type Distribution, firstIndex } from '../statistics/distribution.ts'
import { countsAround } from '../statistics/proportion-sequence.ts'
import { clustersMin } from './bounds.ts'
import { boundOfShare } from './mean-bounds.ts'

/** Where too much doubt is left for a bound, as where neighbours are all alike, nothing is excluded. */
const anyShare = { lower: 0, upper: 1 }

/**
 * The bound of a quantile, in the values' own unit: all x of which the share of values above x may be 1 − q. From
 * histograms by group, so within 0.5 % (of cosines: of 1 − cosine). `upper` is `null` where the evidence cannot exclude any value; likewise `lower`.
 */
export function boundOfQuantile(
  all: Distribution,
  groups: Distribution[],
  q: number,
  alpha: number,
  planned: number,
): Edges {
  const filled = groups.filter((group) => group.total > 0)
  if (filled.length < clustersMin) return noEdges
  const shareOf = (countIn: (group: Distribution) => number) =>
    boundOfShare(
      filled.map((group) => ({ n: group.total, sum: countIn(group) })),
      alpha,
      planned,
    ) ?? anyShare
  const shareAbove = (x: number) => shareOf((group) => group.total - countUpTo(group, x))
  const { values } = all
  const below = firstIndex(values.length, (i) => shareAbove(values[i]!).lower <= 1 - q)
  const above = firstIndex(values.length, (i) => shareAbove(values[i]!).upper <= 1 - q)
  // All values are above anything less than the least; few of them prove little.
  const isBoundedBelow = below > 0 || shareOf((group) => group.total).lower > 1 - q
  return { lower: isBoundedBelow ? values[below]! : null, upper: values[above] ?? null }
}

/**
 * The same of a span with too few groups, from values that are taken as independent, as in `boundOfFewBuckets`. `null`
 * where there are too few values to exclude any.
 */
export function boundOfQuantileOfFew(values: Distribution, q: number, alpha: number): Edges {
  const { total } = values
  if (total < clustersMin) return noEdges
  const { least, greatest } = countsAround(1 - q, total, alpha)
  const countAbove = (i: number) => total - values.upTo[i]!
  const below = firstIndex(values.values.length, (i) => countAbove(i) <= greatest)
  const above = firstIndex(values.values.length, (i) => countAbove(i) < least)
  const isBoundedBelow = below > 0 || total > greatest
  return { lower: isBoundedBelow ? values.values[below]! : null, upper: values.values[above] ?? null }
}
