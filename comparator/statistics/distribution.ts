import { valueOfBin } from './log-histogram.ts'

/** A sample with its ties counted: raw values weigh one each, a histogram's bins weigh their counts. */
export interface Distribution {
  /** Ascending. */
  values: number[]
  /** `upTo[i]`: how many of the sample are ≤ values[i]. */
  upTo: number[]
  total: number
}

export function distributionOfValues(sample: number[]): Distribution {
  return fromPairs(sample.map((value) => [value, 1]))
}

export function distributionOfBins(counts: Map<number, number>): Distribution {
  return fromPairs([...counts].filter(([, count]) => count > 0).map(([bin, count]) => [valueOfBin(bin), count]))
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

function fromPairs(pairs: [value: number, count: number][]): Distribution {
  pairs.sort(([a], [b]) => a - b)
  const values: number[] = []
  const upTo: number[] = []
  let total = 0
  for (const [value, count] of pairs) {
    total += count
    values.push(value)
    upTo.push(total)
  }
  return { values, upTo, total }
}
