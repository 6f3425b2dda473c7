import { type Edges, noEdges } from '../../../vocabulary/bounded.ts'
import { countUpTo, type Distribution } from '../../statistics/distribution.ts'
import { firstIndex } from '../../statistics/first-index.ts'
import { countsAround } from '../../statistics/proportion-sequence.ts'
import { boundOfShare } from './mean-bound.ts'
import { clustersMin, type Sequence } from './projection.ts'

/** Excludes nothing; used where no bound can be given, for example because neighbours are too correlated. */
const anyShare = { lower: 0, upper: 1 }

/**
 * The bound of a quantile, in the values' own unit: all x for which the share of values above x may be 1 − q. It comes
 * from histograms by group, so it is within 0.5 % (for cosines, of 1 − cosine). An end is `null` where the evidence
 * cannot exclude any value.
 */
export function boundOfQuantile(all: Distribution, groups: Distribution[], q: number, sequence: Sequence): Edges {
  const filled = groups.filter((group) => group.total > 0)
  if (filled.length < clustersMin) return noEdges
  const shareOf = (countIn: (group: Distribution) => number) =>
    boundOfShare(
      filled.map((group) => ({ n: group.total, sum: countIn(group) })),
      sequence,
    ) ?? anyShare
  const shareAbove = (x: number) => shareOf((group) => group.total - countUpTo(group, x))
  const { values } = all
  const below = firstIndex(values.length, (i) => shareAbove(values[i]!).lower <= 1 - q)
  const above = firstIndex(values.length, (i) => shareAbove(values[i]!).upper <= 1 - q)
  // all values are above any x below the smallest, but few of them prove little
  const isBoundedBelow = below > 0 || shareOf((group) => group.total).lower > 1 - q
  return { lower: isBoundedBelow ? values[below]! : null, upper: values[above] ?? null }
}

/**
 * The same for a span with too few groups, taking values as independent, as in `boundOfFewBuckets`. An end is `null`
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
