import { sideOf } from '../../vocabulary/mapping-side.ts'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import { atRow, rowsPointer } from '../../vocabulary/row-pointers.ts'
import { alignScores, type ClassPair } from './align-scores.ts'
import type { ClassAnswer } from './answer.ts'
import { type BoxDifferences, compareBoxes } from './compare-boxes.ts'
import { compareJson, type JsonDifferences } from './compare-json.ts'
import { compareTexts, type TextDifferences } from './compare-texts.ts'
import { compareRowsOfVectors, type VectorDifferences } from './compare-vectors.ts'
import { elementsOf } from './differences.ts'
import { type Problem, problem } from './mapping-problem.ts'
import type { Reading } from './read-answer.ts'
import { sideMappings } from './side-mappings.ts'

/** How two answers differ, of the kinds of output whose answers are not kept whole. */
export type Apart = RowPairs | VectorDifferences | BoxDifferences | TextDifferences | JsonDifferences

/** The rows of a response that answers several, each with that of the other side. */
export interface RowPairs {
  kind: 'rows'
  pairs: ClassPair[]
}

/** Two answers in one shape, and how they differ; values and classes tell that themselves. */
export interface Pair {
  kind: 'pair'
  primary: Reading
  candidate: Reading
  apart: Apart | null
}

const otherLabels = problem('unknownLabel', '', "scores for the primary's labels", 'other labels')

export function compareReadings(mapping: OutputMapping, primary: Reading, candidate: Reading): Pair | Problem {
  if (primary.kind === 'value' && candidate.kind === 'value') {
    const elements = elementsOf(primary.value)
    return elements === elementsOf(candidate.value)
      ? { kind: 'pair', primary, candidate, apart: null }
      : problem('shape', '', `${elements} numbers, as the primary has`, String(elementsOf(candidate.value)))
  }
  if (primary.kind === 'class' && candidate.kind === 'class') {
    const aligned = alignClasses(mapping, primary, candidate)
    return aligned === null ? otherLabels : { kind: 'pair', ...aligned, apart: null }
  }
  if (primary.kind === 'rows' && candidate.kind === 'rows') {
    const { length } = primary.rows
    if (length !== candidate.rows.length) {
      return problem('shape', '', `${length} rows, as the primary has`, String(candidate.rows.length))
    }
    const pairs = primary.rows.map((row, i) => alignClasses(mapping, row, candidate.rows[i]!))
    return pairs.every((pair) => pair !== null)
      ? { kind: 'pair', primary, candidate, apart: { kind: 'rows', pairs } }
      : otherLabels
  }
  if (primary.kind === 'vectors' && candidate.kind === 'vectors' && mapping.kind === 'embedding') {
    const { length } = primary.vectors
    const path = sideOf(mapping, 'candidate').vector!
    if (length !== candidate.vectors.length) {
      const found = String(candidate.vectors.length)
      return problem('shape', rowsPointer(path), `${length} rows, as the primary has`, found)
    }
    const other = primary.vectors.findIndex((vector, row) => vector.length !== candidate.vectors[row]!.length)
    if (other >= 0) {
      const [expected, found] = [primary, candidate].map(({ vectors }) => vectors[other]!.length)
      return problem('dimensions', atRow(path, other), `${expected} dimensions, as the primary has`, String(found))
    }
    return { kind: 'pair', primary, candidate, apart: compareRowsOfVectors(primary.vectors, candidate.vectors) }
  }
  if (primary.kind === 'boxes' && candidate.kind === 'boxes' && mapping.kind === 'detection') {
    return { kind: 'pair', primary, candidate, apart: compareBoxes(primary.boxes, candidate.boxes, mapping.iouMin) }
  }
  if (primary.kind === 'text' && candidate.kind === 'text') {
    return { kind: 'pair', primary, candidate, apart: compareTexts(primary.text, candidate.text) }
  }
  if (primary.kind === 'json' && candidate.kind === 'json' && mapping.kind === 'json') {
    return { kind: 'pair', primary, candidate, apart: compareJson(primary, candidate, mapping) }
  }
  throw new TypeError(`two sides of one mapping were read as ${primary.kind} and ${candidate.kind}`)
}

function alignClasses(mapping: OutputMapping, primary: ClassAnswer, candidate: ClassAnswer): ClassPair | null {
  const sides = sideMappings(mapping)
  const missingIsZero = sides.primary.protocol === 'torchserve' || sides.candidate.protocol === 'torchserve'
  return alignScores(primary, candidate, missingIsZero)
}
