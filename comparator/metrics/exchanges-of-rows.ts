import type { Sums } from '../statistics/sums.ts'
import type { Contribution } from './add-value.ts'

/** Of exchanges of several rows each: how many rows. */
export const rowsMeasure = 'rows'

export function addRows(into: Contribution, rows: number): void {
  if (rows !== 1) into.sums.push([rowsMeasure, rows])
}

/** Of how many exchanges so many values of single rows are: those of one exchange are no evidence of their own. */
export function exchangesBehind(values: number, sums: Sums): number {
  const { n, sum } = sums.get(rowsMeasure) ?? { n: 0, sum: 0 }
  return Math.max(0, values - (sum - n))
}
