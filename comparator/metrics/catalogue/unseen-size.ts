import type { Sums } from '../../statistics/sums.ts'
import { outputMeasures, squareMeasures } from '../evidence/output-values.ts'

/**
 * Limits how large an unseen value may be: as large as the greatest seen of the measures that it is a difference or
 * count of. `isRoot`: the measures hold its squares.
 */
export interface UnseenSize {
  measures: readonly string[]
  isRoot?: true
  atLeast?: number
}

/** An answer's value, norm, or number of boxes, characters or fields; for classifications its top score. */
export const outputSize: UnseenSize = { measures: Object.values(outputMeasures) }
const squares = Object.values(squareMeasures)
/** The root mean square of a vector's elements, as their mean may hide their size. */
export const valueSize: UnseenSize = { measures: squares, isRoot: true }
export const squaredValueSize: UnseenSize = { measures: squares }
/** For scores within [0, 1]. */
export const confidenceSize: UnseenSize = { measures: [], atLeast: 1 }
export const latencySize: UnseenSize = { measures: ['latency.primary', 'latency.candidate'] }

/** The greatest magnitude seen; infinite if only zeros were seen, which says nothing about the size. */
export function unseenSizeOf({ measures, isRoot, atLeast = 0 }: UnseenSize, sums: Sums): number {
  let greatest = atLeast
  for (const measure of measures) {
    const sum = sums.get(measure)
    if (sum !== undefined) greatest = Math.max(greatest, Math.abs(sum.min), Math.abs(sum.max))
  }
  if (!(greatest > 0)) return Number.POSITIVE_INFINITY
  return isRoot ? Math.sqrt(greatest) : greatest
}
