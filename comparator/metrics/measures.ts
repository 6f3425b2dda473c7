import type { Leg } from '../../vocabulary/leg.ts'
import type { SizeClass } from '../../vocabulary/size-class.ts'
import type { QuantileMetric } from './quantile-metrics.ts'

/** The names under which rollups keep what has a parameter; the rest are spelled where they are used. */

/** 1 for an exchange that was compared (or failed), 0 for one that was skipped. */
export const exchangeMeasure = (sizeClass: SizeClass) => `exchange:${sizeClass}`
export const skippedMeasurePrefix = 'skipped:'
export const skippedMeasure = (reason: string) => `${skippedMeasurePrefix}${reason}`

/** 1 for a candidate that gave no usable answer. */
export const failedMeasurePrefix = 'failed:'
export const failedMeasure = (reason: string) => `${failedMeasurePrefix}${reason}`

/** 1 for an answer that the mapping could not read, by side and by what it met. */
export const unmappedMeasurePrefix = 'unmapped:'
export const unmappedMeasure = (leg: Leg, code: string) => `${unmappedMeasurePrefix}${leg}:${code}`

/** Of a label that leaves rows open: the share of the exchange's rows that it does. */
export const unlabelledRowsMeasure = 'unlabelledRows'
/** 1 for a label that does not fit the answer that it joins: another number of rows. */
export const misfitLabelMeasure = 'misfitLabel'

/** 1 for a pair of documents that differ at a place; at `(other)` the hash above which places are given up. */
export const fieldMeasurePrefix = 'field:'
export const fieldMeasure = (path: string) => `${fieldMeasurePrefix}${path}`

const confusionPrefix = 'confusion:'
/** One cell of the confusion matrix of declared labels: its `n` is the count. */
export const confusionMeasure = (primary: string, candidate: string) =>
  `${confusionPrefix}${JSON.stringify([primary, candidate])}`

const freeConfusionPrefix = 'freeConfusion:'
/** The same where no labels are declared; in cells of `(other)`, values are the hash above which labels are given up. */
export const freeConfusionMeasure = (primary: string, candidate: string) =>
  `${freeConfusionPrefix}${JSON.stringify([primary, candidate])}`

/** Of which a validation may have thousands, also under the name of a further output. */
export function isCell(measure: string): boolean {
  return cellPattern.test(measure)
}
const cellPattern = new RegExp(
  `^(?:outputs\\.[^.]+\\.)?(?:${[confusionPrefix, freeConfusionPrefix, fieldMeasurePrefix].join('|')})`,
)

const cellsByMeasure = new Map<string, [primary: string, candidate: string]>()
/** As many as a matrix of 200 labels has; a jackknife asks for each of them dozens of times. */
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

/** A limit on a quantile is judged by the share of values beyond it, counted exactly. */
export interface LimitOnQuantile {
  quantile: QuantileMetric
  limit: number
  side: 'over' | 'under'
  measure: string
}

export function limitOnQuantile(quantile: QuantileMetric, side: 'over' | 'under', limit: number): LimitOnQuantile {
  return { quantile, limit, side, measure: `${side}:${quantile.values}:${limit}` }
}
