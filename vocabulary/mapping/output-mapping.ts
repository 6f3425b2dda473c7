import { Type } from 'typebox'
import { legs } from '../leg.ts'
import {
  ClassificationMapping,
  DetectionMapping,
  EmbeddingMapping,
  JsonMapping,
  RegressionMapping,
  TextMapping,
} from './mapping-kinds.ts'
import { sideOf } from './mapping-side.ts'
import type { OutputKind } from './output-kind.ts'
import { rowSteps } from './row-pointers.ts'

export type OutputMapping =
  | RegressionMapping
  | ClassificationMapping
  | EmbeddingMapping
  | DetectionMapping
  | TextMapping
  | JsonMapping

export const OutputMapping = Type.Refine(
  Type.Union([RegressionMapping, ClassificationMapping, EmbeddingMapping, DetectionMapping, TextMapping, JsonMapping], {
    $id: 'OutputMapping',
    description:
      "where the model's answer stands in each side's response body, such as { kind: classification, scores: /predictions }",
  }),
  (mapping) => problemOfMapping(mapping as OutputMapping) === undefined,
  (mapping) => problemOfMapping(mapping as OutputMapping) ?? '',
)

/** Problems that the schema of one kind cannot express: what each side must have, and what both must share. */
function problemOfMapping(mapping: OutputMapping): string | undefined {
  for (const leg of legs) {
    const problem = problemOfSide(sideOf(mapping, leg) as OutputMapping)
    if (problem !== undefined) return `${problem} for both sides`
  }
  const ofRows = problemOfRows(mapping)
  if (ofRows !== undefined) return ofRows
  if (mapping.kind === 'classification') return problemOfGiven(mapping)
  return mapping.kind === 'detection' ? problemOfCoordinates(mapping) : undefined
}

/**
 * Pointers that have a `*` for the row index if a response has several rows; each row is compared with the other
 * side's.
 */
const rowKeys: Partial<Record<OutputKind, readonly string[]>> = {
  classification: ['scores', 'classes', 'label'],
  embedding: ['vector'],
  detection: ['boxes', 'scores', 'classes'],
  text: ['text'],
}

function problemOfRows(mapping: OutputMapping): string | undefined {
  const keys = rowKeys[mapping.kind] ?? []
  const pointers = legs.flatMap((leg) => {
    // the whole body, unless a pointer says otherwise
    const side: Record<string, unknown> = { ...(mapping.kind === 'text' && { text: '' }), ...sideOf(mapping, leg) }
    return keys.map((key) => side[key]).filter((pointer) => typeof pointer === 'string')
  })
  const [first = 0, ...others] = pointers.map(rowSteps)
  if (first <= 1 && others.every((count) => count === first)) return undefined
  return `${keys.map((key) => `${key}:`).join(' and ')} with one * each for the index of a row, or all without,`
}

function problemOfSide(side: OutputMapping): string | undefined {
  if ((side.protocol === 'plain' || side.protocol === 'stream') && side.kind !== 'text') {
    return `protocol: ${side.protocol} only with kind: text,`
  }
  switch (side.kind) {
    case 'regression':
      return side.value === undefined || rowSteps(side.value) > 1 ? 'a value: pointer, with one * at most,' : undefined
    case 'classification':
      if (side.scores === undefined && side.classes !== undefined) return 'a scores: pointer beside classes:'
      return side.scores === undefined && side.label === undefined ? 'a scores: and/or a label: pointer' : undefined
    case 'embedding':
      return side.vector === undefined ? 'a vector: pointer' : undefined
    case 'detection':
      return side.boxes === undefined ? 'a boxes: pointer' : undefined
    case 'text':
      if (side.whole !== undefined && side.protocol !== 'stream') return 'protocol: stream beside whole:,'
      if (side.protocol === 'stream' && rowSteps(side.text ?? '') > 0)
        return 'a text: pointer into each piece, without *,'
      return side.text === undefined && side.protocol !== 'plain' ? 'a text: pointer, or protocol: plain' : undefined
    case 'json':
      return side.document === undefined ? 'a document: pointer ("" for the whole body)' : undefined
  }
}

function problemOfGiven(mapping: ClassificationMapping): string | undefined {
  const sides = legs.map((leg) => sideOf(mapping, leg))
  const given = sides.filter(({ scoreMin }) => scoreMin !== undefined)
  if (given.length === 0) return undefined
  const isWhole = given.length === sides.length && sides.every(({ scores }) => scores !== undefined)
  return isWhole ? undefined : 'scores: and scoreMin: of both sides, or no scoreMin:,'
}

/** Boxes are compared in one frame: pixels of one image, or shares of its width and height. */
function problemOfCoordinates(mapping: DetectionMapping): string | undefined {
  const [primary, candidate] = legs.map((leg) => {
    const { coordinates, imageSize } = sideOf(mapping, leg)
    return coordinates === 'relative' || imageSize !== undefined
  })
  return primary === candidate ? undefined : 'an imageSize: for the side in pixels, since the other side is relative'
}
