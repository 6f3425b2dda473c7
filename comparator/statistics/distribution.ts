import type { BinCounts } from './bin-counts.ts'
import { firstIndex } from './first-index.ts'
import { valueOfBin } from './log-histogram.ts'

/** A weighted sample, such as the bins of a histogram with their counts. */
export interface Distribution {
  /** Ascending. */
  values: Float64Array
  /** `upTo[i]` is the number of values ≤ values[i]. */
  upTo: Float64Array
  total: number
}

/** A histogram's distribution; the order of bins is that of their values. */
export function distributionOfBins({ bins, counts }: BinCounts): Distribution {
  const values = new Float64Array(bins.length)
  const upTo = new Float64Array(bins.length)
  let total = 0
  for (let i = 0; i < bins.length; i++) {
    values[i] = valueOfBin(bins[i]!)
    total += counts[i]!
    upTo[i] = total
  }
  return { values, upTo, total }
}

/** The distribution of 1 − x. */
export function complementOf({ values, upTo, total }: Distribution): Distribution {
  const last = values.length - 1
  return {
    values: values.map((_, i) => 1 - values[last - i]!),
    upTo: upTo.map((_, i) => total - (i === last ? 0 : upTo[last - i - 1]!)),
    total,
  }
}

/** Number of values ≤ x. */
export function countUpTo(sample: Distribution, x: number): number {
  return countWhile(sample, (value) => value <= x)
}

/** Number of values < x. */
export function countBelow(sample: Distribution, x: number): number {
  return countWhile(sample, (value) => value < x)
}

/** Number of values for which `holds` is true; it must be true up to some value and false above. */
function countWhile({ values, upTo }: Distribution, holds: (value: number) => boolean): number {
  const first = firstIndex(values.length, (i) => !holds(values[i]!))
  return first === 0 ? 0 : upTo[first - 1]!
}
