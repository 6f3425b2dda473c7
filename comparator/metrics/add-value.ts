import type { Contribution } from './contribution.ts'

/** Adds a value to its sum and its histogram. */
export function addValue(into: Contribution, measure: string, value: number): void {
  into.sums.push([measure, value])
  into.bins.push([measure, value])
}
