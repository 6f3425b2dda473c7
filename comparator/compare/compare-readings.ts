import { sideOf } from '../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import { atRow, rowsPointer } from '../../vocabulary/mapping/row-pointers.ts'
import { alignScores, type ClassPair } from './align-scores.ts'
import { type BoxDifferences, compareBoxes } from './compare-boxes.ts'
import { compareJson, type JsonDifferences } from './compare-json.ts'
import { compareTexts, type TextDifferences } from './compare-texts.ts'
import { compareVectors, type VectorDifferences } from './compare-vectors.ts'
import { elementsOf } from './differences.ts'
import { meanOfRows } from './mean-of-rows.ts'
import { type Problem, problem } from './read/mapping-problem.ts'
import type { Reading } from './read/read-answer.ts'

/** How two answers differ, for kinds of output whose answers are not kept whole. */
export type AnswerDifferences = RowPairs | RowDifferences | JsonDifferences

/** The differences of one row, or their means over an exchange with several. */
export type RowDifferences = VectorDifferences | BoxDifferences | TextDifferences

/** The rows of two responses, in pairs. */
interface RowPairs {
  kind: 'rows'
  pairs: ClassPair[]
}

/** Two answers in the same shape, and how they differ; `differences` is `null` for values and classes. */
export interface Pair {
  kind: 'pair'
  primary: Reading
  candidate: Reading
  differences: AnswerDifferences | null
  /** The differences by row that `differences` is the mean of. */
  byRow?: readonly RowDifferences[]
}

const otherLabels = problem('unknownLabel', '', "scores for the primary's labels", 'other labels')

export function compareReadings(mapping: OutputMapping, primary: Reading, candidate: Reading): Pair | Problem {
  if (primary.kind === 'value' && candidate.kind === 'value') {
    const [expected, found] = [elementsOf(primary.value), elementsOf(candidate.value)]
    return expected === found
      ? { kind: 'pair', primary, candidate, differences: null }
      : problem('shape', '', asPrimaryHas(expected, 'number'), String(found))
  }
  if (primary.kind === 'class' && candidate.kind === 'class') {
    const aligned = alignScores(primary, candidate)
    return aligned === null ? otherLabels : { kind: 'pair', ...aligned, differences: null }
  }
  if (primary.kind === 'rows' && candidate.kind === 'rows') {
    const { length } = primary.rows
    if (length !== candidate.rows.length) {
      return problem('shape', '', asPrimaryHas(length, 'row'), String(candidate.rows.length))
    }
    const pairs = primary.rows.map((row, i) => alignScores(row, candidate.rows[i]!))
    return pairs.every((pair) => pair !== null)
      ? { kind: 'pair', primary, candidate, differences: { kind: 'rows', pairs } }
      : otherLabels
  }
  if (primary.kind === 'vectors' && candidate.kind === 'vectors' && mapping.kind === 'embedding') {
    const path = sideOf(mapping, 'candidate').vector!
    const pairs = pairsOfRows(path, primary.vectors, candidate.vectors)
    if ('kind' in pairs) return pairs
    const other = pairs.findIndex(([p, c]) => p.length !== c.length)
    if (other >= 0) {
      const [expected, found] = pairs[other]!.map(({ length }) => length)
      return problem('dimensions', atRow(path, other), asPrimaryHas(expected!, 'dimension'), String(found))
    }
    const byRow = pairs.map(([p, c]) => compareVectors(p, c))
    return { kind: 'pair', primary, candidate, differences: meanOfRows(byRow), byRow }
  }
  if (primary.kind === 'boxes' && candidate.kind === 'boxes' && mapping.kind === 'detection') {
    const pairs = pairsOfRows(sideOf(mapping, 'candidate').boxes!, primary.rows, candidate.rows)
    if ('kind' in pairs) return pairs
    const byRow = pairs.map(([p, c]) => compareBoxes(p, c, mapping.iouMin))
    return { kind: 'pair', primary, candidate, differences: meanOfRows(byRow), byRow }
  }
  if (primary.kind === 'texts' && candidate.kind === 'texts' && mapping.kind === 'text') {
    const pairs = pairsOfRows(sideOf(mapping, 'candidate').text ?? '', primary.texts, candidate.texts)
    if ('kind' in pairs) return pairs
    const byRow = pairs.map(([p, c]) => compareTexts(p, c))
    return { kind: 'pair', primary, candidate, differences: meanOfRows(byRow), byRow }
  }
  if (primary.kind === 'json' && candidate.kind === 'json' && mapping.kind === 'json') {
    return { kind: 'pair', primary, candidate, differences: compareJson(primary, candidate, mapping) }
  }
  throw new TypeError(`two sides of one mapping were read as ${primary.kind} and ${candidate.kind}`)
}

/** Pairs the rows of both sides; `path` is the pointer to the candidate's. */
function pairsOfRows<Row>(path: string, primary: readonly Row[], candidate: readonly Row[]): [Row, Row][] | Problem {
  const { length } = primary
  return length === candidate.length
    ? primary.map((row, i) => [row, candidate[i]!])
    : problem('shape', rowsPointer(path), asPrimaryHas(length, 'row'), String(candidate.length))
}

const asPrimaryHas = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}, as the primary has`
