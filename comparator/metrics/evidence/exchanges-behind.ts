import type { Sums } from '../../statistics/sums.ts'
import type { Contribution } from '../contributions/contribution.ts'

/** Number of rows of an exchange, if it has not just one. */
export const rowsMeasure = 'rows'

export function addRows(into: Contribution, rows: number): void {
  if (rows !== 1) into.sums.push([rowsMeasure, rows])
}

/**
 * Number of exchanges that so many values of single rows come from: rows of one exchange are not independent evidence.
 */
export function exchangesBehind(values: number, sums: Sums): number {
  const { n, sum } = sums.get(rowsMeasure) ?? { n: 0, sum: 0 }
  return Math.max(0, values - (sum - n))
}
