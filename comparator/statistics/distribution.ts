import type { BinCounts } from './bin-counts.ts'
import { valueOfBin } from './log-histogram.ts'

/** A sample with its ties counted: raw values weigh one each, a histogram's bins weigh their counts. */
export interface Distribution {
  /** Ascending. */
  values: Float64Array
  /** `upTo[i]`: how many of the sample are ≤ values[i]. */
  upTo: Float64Array
  total: number
}

export function distributionOfValues(sample: number[]): Distribution {
  const values = Float64Array.from(sample).sort()
  return { values, upTo: values.map((_, i) => i + 1), total: values.length }
}

/** Bins are in the order of their values. */
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

/** Of 1 − x for each x of the sample. */
export function complementOf({ values, upTo, total }: Distribution): Distribution {
  const last = values.length - 1
  return {
    values: values.map((_, i) => 1 - values[last - i]!),
    upTo: upTo.map((_, i) => total - (i === last ? 0 : upTo[last - i - 1]!)),
    total,
  }
}

/** How many of the sample are ≤ x. */
export function countUpTo(sample: Distribution, x: number): number {
  return countWhile(sample, (value) => value <= x)
}

/** How many of the sample are < x. */
export function countBelow(sample: Distribution, x: number): number {
  return countWhile(sample, (value) => value < x)
}

/** How many have a value that `holds`, which is true of the lesser values and false of the greater. */
function countWhile({ values, upTo }: Distribution, holds: (value: number) => boolean): number {
  const first = firstIndex(values.length, (i) => !holds(values[i]!))
  return first === 0 ? 0 : upTo[first - 1]!
}

/** The least index in [0, length) for which `holds`, which is false and then true; `length` where it never is. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
