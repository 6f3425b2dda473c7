/** Mergeable summary of a measure's values; see `mergeSum`. */
export interface Sum {
  n: number
  sum: number
  sumSq: number
  min: number
  max: number
}

/** By measure. */
export type Sums = Map<string, Sum>

/** Adds `from` to `into` in place. */
export function mergeSums(into: Sums, from: Sums): void {
  for (const [measure, sum] of from) mergeSum(into, measure, sum)
}

/** What takes these sums back when merged. Extremes stay. */
export function negated(sums: Sums): Sums {
  return new Map(
    [...sums].map(([measure, { n, sum, sumSq }]) => [
      measure,
      { n: -n, sum: -sum, sumSq: -sumSq, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
    ]),
  )
}

/** Adds one measure's `sum` to `into` in place. */
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
