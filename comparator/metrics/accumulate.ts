import { binOf } from '../statistics/log-histogram.ts'
import type { Contribution } from './contribution.ts'

/** Mergeable summary of a measure's values. Add `n`, `sum`, `sumSq`; take the lesser `min` and the greater `max`. */
export interface Sum {
  n: number
  sum: number
  sumSq: number
  min: number
  max: number
}
export type Sums = Map<string, Sum>
/** measure → bin → count. */
export type Bins = Map<string, Map<number, number>>

/** Merges what many observations add, so that one upsert writes one row a measure (and bin). */
export function accumulate(contributions: Iterable<Contribution>): { sums: Sums; bins: Bins } {
  const sums: Sums = new Map()
  const bins: Bins = new Map()
  for (const contribution of contributions) {
    for (const [measure, value] of contribution.sums) addValue(sums, measure, value)
    for (const [measure, value] of contribution.bins) addCount(bins, measure, binOf(value), 1)
  }
  return { sums, bins }
}

/** Adds `from` to `into`, which it changes. */
export function mergeSums(into: Sums, from: Sums): void {
  for (const [measure, sum] of from) {
    const known = into.get(measure)
    if (known === undefined) {
      into.set(measure, { ...sum })
      continue
    }
    known.n += sum.n
    known.sum += sum.sum
    known.sumSq += sum.sumSq
    known.min = Math.min(known.min, sum.min)
    known.max = Math.max(known.max, sum.max)
  }
}

/** Adds `from` to `into`, which it changes. */
export function mergeBins(into: Bins, from: Bins): void {
  for (const [measure, counts] of from) {
    for (const [bin, count] of counts) addCount(into, measure, bin, count)
  }
}

function addValue(sums: Sums, measure: string, value: number): void {
  const known = sums.get(measure)
  if (known === undefined) {
    sums.set(measure, { n: 1, sum: value, sumSq: value * value, min: value, max: value })
    return
  }
  known.n += 1
  known.sum += value
  known.sumSq += value * value
  if (value < known.min) known.min = value
  if (value > known.max) known.max = value
}

function addCount(bins: Bins, measure: string, bin: number, count: number): void {
  let counts = bins.get(measure)
  if (counts === undefined) {
    counts = new Map()
    bins.set(measure, counts)
  }
  counts.set(bin, (counts.get(bin) ?? 0) + count)
}
