import type { Sums } from '../../statistics/sums.ts'
import { rowsMeasure } from '../measures.ts'

/**
 * Number of exchanges that so many values of single rows come from: rows of one exchange are not independent evidence.
 */
export function exchangesBehind(values: number, sums: Sums): number {
  const { n, sum } = sums.get(rowsMeasure) ?? { n: 0, sum: 0 }
  return Math.max(0, values - (sum - n))
}
