import type { Leg } from '../../vocabulary/leg.ts'
import type { SizeClass } from '../../vocabulary/size-class.ts'

// names of measures with a parameter; the others are written out where they are used

/** 1 for an exchange that was compared (or failed), 0 for one that was skipped. */
export const exchangeMeasure = (sizeClass: SizeClass) => `exchange:${sizeClass}`
export const skippedMeasurePrefix = 'skipped:'
export const skippedMeasure = (reason: string) => `${skippedMeasurePrefix}${reason}`

/** 1 for a candidate that gave no usable answer. */
export const failedMeasurePrefix = 'failed:'
export const failedMeasure = (reason: string) => `${failedMeasurePrefix}${reason}`

/** 1 for an answer that the mapping could not read, by side and by what it found. */
export const unmappedMeasurePrefix = 'unmapped:'
export const unmappedMeasure = (leg: Leg, code: string) => `${unmappedMeasurePrefix}${leg}:${code}`

/** 1 for an exchange that was not compared because a side answered with a status of 400 or more, by side and status. */
export const statusMeasurePrefix = 'status:'
export const statusMeasure = (leg: Leg, status: number | '') => `${statusMeasurePrefix}${leg}:${status}`

/** Number of rows of an exchange, if it has not just one. */
export const rowsMeasure = 'rows'
/** The share of an exchange's rows that its label leaves open, if any. */
export const unlabelledRowsMeasure = 'unlabelledRows'
/** 1 for a label that does not fit its answer, such as with another number of rows. */
export const misfitLabelMeasure = 'misfitLabel'

/** 1 for a pair of documents that differ at a place; for `(other)`, the hash above which places become others. */
export const fieldMeasurePrefix = 'field:'
export const fieldMeasure = (path: string) => `${fieldMeasurePrefix}${path}`

const confusionPrefix = 'confusion:'
/** One cell of the confusion matrix of declared labels; its `n` is the count. */
export const confusionMeasure = (primary: string, candidate: string) =>
  `${confusionPrefix}${JSON.stringify([primary, candidate])}`

const freeConfusionPrefix = 'freeConfusion:'
/** The same without declared labels; in cells of `(other)`, values are the hash above which labels become others. */
export const freeConfusionMeasure = (primary: string, candidate: string) =>
  `${freeConfusionPrefix}${JSON.stringify([primary, candidate])}`

/** Whether it is a matrix cell, of the main or a further output; a validation may have thousands of these. */
export function isCell(measure: string): boolean {
  return cellPattern.test(measure)
}
const cellPattern = new RegExp(
  `^(?:outputs\\.[^.]+\\.)?(?:${[confusionPrefix, freeConfusionPrefix, fieldMeasurePrefix].join('|')})`,
)

const cellsByMeasure = new Map<string, [primary: string, candidate: string]>()
/** The cells of a matrix of 200 labels; a jackknife needs each of them dozens of times. */
const cellsMax = 40_000

function isConfusion(measure: string): boolean {
  return measure.startsWith(confusionPrefix) || isFreeConfusion(measure)
}

/** The labels of a confusion cell's measure, `null` for every other measure. */
export function confusionCellOf(measure: string): [primary: string, candidate: string] | null {
  if (!isConfusion(measure)) return null
  let cell = cellsByMeasure.get(measure)
  if (cell === undefined) {
    if (cellsByMeasure.size >= cellsMax) cellsByMeasure.clear()
    cell = JSON.parse(measure.slice(measure.indexOf(':') + 1)) as [string, string]
    cellsByMeasure.set(measure, cell)
  }
  return cell
}

export function isFreeConfusion(measure: string): boolean {
  return measure.startsWith(freeConfusionPrefix)
}
