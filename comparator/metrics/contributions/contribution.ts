/**
 * Values to add to the rollups, by measure. Measure names are opaque to the store (≤ 500 characters). A value that is a
 * mean over rows may come with the mean of their squares, which is then added to the sum of squares.
 */
export interface Contribution {
  sums: [measure: string, value: number, square?: number][]
  bins: [measure: string, value: number][]
  /** What was added before and is taken back now: its sums. Extremes and bins cannot be. */
  replaces?: Contribution | undefined
}

/** Adds a value to its sum and its histogram. */
export function addValue(into: Contribution, measure: string, value: number): void {
  into.sums.push([measure, value])
  into.bins.push([measure, value])
}
