import type { Leg } from '../../../vocabulary/leg.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import type { Answered } from '../../../vocabulary/outcome.ts'
import { type Answer, briefAnswer, type ClassAnswer, rowLabelsOf, type ValueAnswer } from '../answer.ts'
import type { Problem } from './mapping-problem.ts'
import type { KeepDigits } from './parse-json.ts'
import { type BoxesReading, readRowsOfBoxes } from './read-boxes.ts'
import { readClass } from './read-class.ts'
import { readDocument } from './read-document.ts'
import { type JsonReading, readJson } from './read-json.ts'
import { type RowsReading, readRows } from './read-rows.ts'
import { lengthOf, readTexts, type TextsReading } from './read-text.ts'
import { readValue } from './read-value.ts'
import { readVectors, type VectorsReading } from './read-vector.ts'
import { sideMappings } from './side-mappings.ts'

/** One side's whole answer, as it is compared. */
export type Reading =
  | ValueAnswer
  | ClassAnswer
  | RowsReading
  | VectorsReading
  | BoxesReading
  | TextsReading
  | JsonReading

/** Reads the answer that the mapping points to, or returns why none can be compared. */
export function readAnswer(mapping: OutputMapping, leg: Leg, outcome: Answered): Reading | Problem {
  const sides = sideMappings(mapping)
  const side = sides[leg]
  const body = readDocument(side.protocol ?? 'json', outcome, keepOf(side))
  if (body.kind === 'problem') return adviceOf(side, body)
  const { document } = body
  switch (side.kind) {
    case 'regression':
      return readValue(side, document)
    case 'classification':
      return (sides.rows ? readRows : readClass)(side, leg, document, sides.labels)
    case 'embedding':
      return readVectors(side, document)
    case 'detection':
      return readRowsOfBoxes(side, leg, document)
    case 'text':
      return readTexts(side, document)
    case 'json':
      return readJson(side, document)
  }
}

/** The problem of a body that is no JSON; for texts, with the protocols that read others. */
function adviceOf({ kind, protocol = 'json' }: OutputMapping, problem: Problem): Problem {
  if (kind !== 'text' || protocol !== 'json' || problem.code !== 'format') return problem
  return {
    ...problem,
    expected: 'JSON, or protocol: plain for a body that is the text, or protocol: stream for one in pieces',
  }
}

/** For kinds that compare fields or labels, where all digits of a 64-bit id count. */
function keepOf({ kind }: OutputMapping): KeepDigits | undefined {
  if (kind === 'json') return BigInt
  return kind === 'classification' ? String : undefined
}

const labelsShown = 5

/** The part of a reading that is kept with the observation: a brief, except where ground truth may arrive later. */
export function answerOf(reading: Reading): Answer {
  switch (reading.kind) {
    case 'value':
    case 'class':
      return reading
    case 'rows':
      return {
        ...briefAnswer(briefOf('row', 'rows', reading.rows)),
        rows: reading.rows.length,
        rowLabels: rowLabelsOf(reading.rows.map(({ label }) => label)),
      }
    case 'vectors': {
      const { length, 0: first } = reading.vectors
      return briefAnswer(`${length === 1 ? 'a vector' : `${length} vectors`} of ${first!.length}`)
    }
    case 'boxes':
      return briefAnswer(
        `${briefOf('box', 'boxes', reading.rows.flat())}${reading.rows.length > 1 ? `, in ${reading.rows.length} rows` : ''}`,
      )
    case 'texts': {
      const { length } = reading.texts
      return briefAnswer(`${length === 1 ? 'a text' : `${length} texts`} of ${lengthOf(reading.texts)} characters`)
    }
    case 'json':
      return briefAnswer(`a document of ${reading.fields} ${reading.fields === 1 ? 'field' : 'fields'}`)
  }
}

/** `3 boxes: cat × 2, dog × 1`, where a label may be a number. */
function briefOf(one: string, several: string, labelled: readonly { label: string }[]): string {
  const counts = new Map<string, number>()
  for (const { label } of labelled) if (label !== '') counts.set(label, (counts.get(label) ?? 0) + 1)
  const shown = [...counts].slice(0, labelsShown).map(([label, count]) => `${label} × ${count}`)
  if (counts.size > labelsShown) shown.push('…')
  return `${labelled.length} ${labelled.length === 1 ? one : several}${shown.length > 0 ? `: ${shown.join(', ')}` : ''}`
}
