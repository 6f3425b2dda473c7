import type { Bounded } from '../../../vocabulary/bounded.ts'
import { splitMetric } from '../../../vocabulary/metric-path.ts'
import { sliceSamplesMin } from '../../../vocabulary/slice/slice-samples-min.ts'
import type { SlicesView } from '../../../vocabulary/slice/slices.ts'

type Better = SlicesView['better']

const higher =
  /^(agreement|topKOverlap|labelF1|labelsEqual|kappa|pearson|ccc|cosine|f1|precision|recall|meanIou|exactMatch|normalisedMatch|editSimilarity|tokenF1|documentsEqual|fieldsEqual|accuracy|coverage|labelCoverage|samples)(\.|$)/
const zero = /^(bias|countDelta)$/

/**
 * In which direction a metric is better (`zero`: near 0). Those that are no similarity are distances, times or errors.
 */
export function betterOf(name: string): Better {
  const { metric } = splitMetric(name)
  if (zero.test(metric)) return 'zero'
  return higher.test(metric) ? 'higher' : 'lower'
}

/** How bad a value is: greater is worse. */
function badnessOf(value: number, better: Better): number {
  if (better === 'zero') return Math.abs(value)
  return better === 'higher' ? -value : value
}

/**
 * How bad a slice is at best: the badness of the bound's better edge or, for a metric that is best at 0, of the point
 * nearest to it. `null` where that edge is open; for a metric that is best at 0, where either is.
 */
export function atBest({ lower, upper }: Bounded, better: Better): number | null {
  if (better === 'higher') return upper === null ? null : badnessOf(upper, better)
  if (better === 'lower') return lower === null ? null : badnessOf(lower, better)
  if (lower === null || upper === null) return null
  return lower > 0 ? lower : upper < 0 ? -upper : 0
}

/** Whether the whole bound lies on the bad side of the estimate over all traffic, with enough observations. */
export function isWorse(slice: Bounded, overall: number | null, better: Better): boolean {
  const best = atBest(slice, better)
  return best !== null && overall !== null && slice.n >= sliceSamplesMin && best > badnessOf(overall, better)
}

/** Sorts the worst first: slices shown to be worse, then by their badness at best, then by the estimate. */
export function worstFirst<Slice extends Bounded & { worse: boolean; slice: string }>(better: Better) {
  return (a: Slice, b: Slice): number =>
    Number(b.worse) - Number(a.worse) ||
    descending(atBest(a, better), atBest(b, better)) ||
    descending(badnessOrNull(a.estimate, better), badnessOrNull(b.estimate, better)) ||
    (a.slice < b.slice ? -1 : 1)
}

const badnessOrNull = (value: number | null, better: Better) => (value === null ? null : badnessOf(value, better))

function descending(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return b - a
}
