/** Values to add to the rollups, by measure. Measure names are opaque to the store (≤ 500 characters). */
export interface Contribution {
  sums: [measure: string, value: number][]
  bins: [measure: string, value: number][]
}

/** Adds a value to its sum and its histogram. */
export function addValue(into: Contribution, measure: string, value: number): void {
  into.sums.push([measure, value])
  into.bins.push([measure, value])
}
