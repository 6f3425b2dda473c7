import type { Sums } from '../statistics/sums.ts'
import { outputMeasures, squareMeasures } from './output-values.ts'

/**
 * How large a value may be that was never seen, as far as anything tells: as the greatest of what it is a difference, or
 * a count, of. `isRoot`: the measures hold squares of it.
 */
export interface UnseenSize {
  measures: readonly string[]
  isRoot?: true
  atLeast?: number
}

/** An answer's value, norm, or number of boxes, characters or fields; of classifications the top score. */
export const outputSize: UnseenSize = { measures: Object.values(outputMeasures) }
const squares = Object.values(squareMeasures)
/** Of a vector the root mean square of its elements, which their mean may hide. */
export const valueSize: UnseenSize = { measures: squares, isRoot: true }
export const squaredValueSize: UnseenSize = { measures: squares }
/** Of scores that lie within [0, 1]. */
export const confidenceSize: UnseenSize = { measures: [], atLeast: 1 }
export const latencySize: UnseenSize = { measures: ['latency.primary', 'latency.candidate'] }

/** The greatest magnitude seen of it; infinite where nothing but zeros was, which tells nothing. */
export function unseenSizeOf({ measures, isRoot, atLeast = 0 }: UnseenSize, sums: Sums): number {
  let greatest = atLeast
  for (const measure of measures) {
    const sum = sums.get(measure)
    if (sum !== undefined) greatest = Math.max(greatest, Math.abs(sum.min), Math.abs(sum.max))
  }
  if (!(greatest > 0)) return Number.POSITIVE_INFINITY
  return isRoot ? Math.sqrt(greatest) : greatest
}
