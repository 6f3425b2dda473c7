import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import { alignScores } from './align-scores.ts'
import { type BoxDifferences, compareBoxes } from './compare-boxes.ts'
import { compareJson, type JsonDifferences } from './compare-json.ts'
import { compareTexts, type TextDifferences } from './compare-texts.ts'
import { compareVectors, type VectorDifferences } from './compare-vectors.ts'
import { elementsOf } from './differences.ts'
import { type Problem, problem } from './mapping-problem.ts'
import type { Reading } from './read-answer.ts'
import { sideMappings } from './side-mappings.ts'

/** How two answers differ, of the kinds of output whose answers are not kept whole. */
export type Apart = VectorDifferences | BoxDifferences | TextDifferences | JsonDifferences

/** Two answers in one shape, and how they differ; values and classes tell that themselves. */
export interface Pair {
  kind: 'pair'
  primary: Reading
  candidate: Reading
  apart: Apart | null
}

export function compareReadings(mapping: OutputMapping, primary: Reading, candidate: Reading): Pair | Problem {
  if (primary.kind === 'value' && candidate.kind === 'value') {
    const elements = elementsOf(primary.value)
    return elements === elementsOf(candidate.value)
      ? { kind: 'pair', primary, candidate, apart: null }
      : problem('shape', '', `${elements} numbers, as the primary has`, String(elementsOf(candidate.value)))
  }
  if (primary.kind === 'class' && candidate.kind === 'class') {
    const sides = sideMappings(mapping)
    const missingIsZero = sides.primary.protocol === 'torchserve' || sides.candidate.protocol === 'torchserve'
    const aligned = alignScores(primary, candidate, missingIsZero)
    return aligned === null
      ? problem('unknownLabel', '', "scores for the primary's labels", 'other labels')
      : { kind: 'pair', ...aligned, apart: null }
  }
  if (primary.kind === 'vector' && candidate.kind === 'vector') {
    const { length } = primary.vector
    return length === candidate.vector.length
      ? { kind: 'pair', primary, candidate, apart: compareVectors(primary.vector, candidate.vector) }
      : problem('dimensions', '', `${length} dimensions, as the primary has`, String(candidate.vector.length))
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
