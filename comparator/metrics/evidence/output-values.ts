import type { Leg } from '../../../vocabulary/leg.ts'
import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import type { Distribution } from '../../statistics/distribution.ts'
import { binOf, valueOfBin } from '../../statistics/log-histogram.ts'
import type { Evidence } from './evidence.ts'

export const outputMeasures: Record<Leg, string> = { primary: 'output.primary', candidate: 'output.candidate' }
/** The mean square of an answer's elements; regressions only. */
export const squareMeasures: Record<Leg, string> = { primary: 'primarySquare', candidate: 'candidateSquare' }

/** The values of a side's answers that drift is measured by: values, top scores or sizes. */
export function outputValues(kind: OutputKind, { distributionOf }: Evidence, leg: Leg): Distribution {
  const found = distributionOf(outputMeasures[leg])
  return kind === 'embedding' ? withoutEdge.getOrInsertComputed(found, mergedAroundOne) : found
}

const withoutEdge = new WeakMap<Distribution, Distribution>()
const aroundOne = [binOf(1), binOf(1) + 1].map(valueOfBin)

/**
 * Merges the two bins around 1. The length of a normalised vector is 1 except for rounding of its elements, and 1 is
 * the edge of a bin, so two sides that round differently would lie a bin apart.
 */
function mergedAroundOne({ values, upTo, total }: Distribution): Distribution {
  const merged = values.map((value) => (aroundOne.includes(value) ? 1 : value))
  const isLast = (_: number, i: number) => merged[i] !== merged[i + 1]
  return { values: merged.filter(isLast), upTo: upTo.filter(isLast), total }
}
