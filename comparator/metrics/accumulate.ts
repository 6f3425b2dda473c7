import { type BinCounts, countValues, sumOf } from '../statistics/bin-counts.ts'
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
export type Bins = Map<string, BinCounts>

/** Merges what many observations add, so that one upsert writes one row a measure (and bin). */
export function accumulate(contributions: Iterable<Contribution>): { sums: Sums; bins: Bins } {
  const sums: Sums = new Map()
  const values = new Map<string, number[]>()
  for (const contribution of contributions) {
    for (const [measure, value] of contribution.sums) addValue(sums, measure, value)
    for (const [measure, value] of contribution.bins) {
      const known = values.get(measure)
      if (known === undefined) values.set(measure, [value])
      else known.push(value)
    }
  }
  return { sums, bins: new Map([...values].map(([measure, of]) => [measure, countValues(of)])) }
}

/** Adds `from` to `into`, which it changes. */
export function mergeSums(into: Sums, from: Sums): void {
  for (const [measure, sum] of from) mergeSum(into, measure, sum)
}

/** Adds one measure's `sum` to `into`, which it changes. */
export function mergeSum(into: Sums, measure: string, sum: Sum): void {
  const known = into.get(measure)
  if (known === undefined) {
    into.set(measure, { ...sum })
    return
  }
  known.n += sum.n
  known.sum += sum.sum
  known.sumSq += sum.sumSq
  known.min = Math.min(known.min, sum.min)
  known.max = Math.max(known.max, sum.max)
}

export function mergeBins(parts: readonly Bins[]): Bins {
  const byMeasure = new Map<string, BinCounts[]>()
  for (const bins of parts) {
    for (const [measure, counts] of bins) {
      const known = byMeasure.get(measure)
      if (known === undefined) byMeasure.set(measure, [counts])
      else known.push(counts)
    }
  }
  return new Map([...byMeasure].map(([measure, counts]) => [measure, sumOf(counts)]))
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
