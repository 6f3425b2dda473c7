import type {
  AnswerPair,
  BoxesPair,
  CutText,
  NumbersPair,
  RowsPair,
  ScoresPair,
} from '../../../vocabulary/api/answer-pair.ts'
import type { KeptBody } from '../../../vocabulary/api/observation-detail.ts'
import { type Leg, legs } from '../../../vocabulary/leg.ts'
import type { ClassificationMapping, DetectionMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { sideOf } from '../../../vocabulary/mapping/mapping-side.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../../vocabulary/mapping/score-min.ts'
import type { Answered } from '../../../vocabulary/outcome.ts'
import type { ClassPair } from '../../compare/align-scores.ts'
import { type Answer, type ClassAnswer, labelsOfRows } from '../../compare/answer.ts'
import { compareReadings, type Pair, type RowDifferences } from '../../compare/compare-readings.ts'
import { disagreementOf, rowsDisagreement } from '../../compare/disagreement.ts'
import { scoresKeptMax } from '../../compare/keep-scores.ts'
import { listFields } from '../../compare/list-fields.ts'
import { matchBoxes } from '../../compare/match-boxes.ts'
import { mostOf } from '../../compare/most-of.ts'
import { spellProblem } from '../../compare/read/mapping-problem.ts'
import { type Reading, readAnswer } from '../../compare/read/read-answer.ts'
import type { Box } from '../../compare/read/read-boxes.ts'
import { viewGiven } from './view-given.ts'

const numbersShownMax = 64
const rowsShownMax = 100
const boxesShownMax = 100
const givenShownMax = 100
const rowGivenShownMax = 10
const textShownMax = 20_000

/** Two answers for display, read from their kept bodies as the comparison reads them. */
export function pairOfBodies(mapping: OutputMapping, bodies: Record<Leg, KeptBody | null>): AnswerPair {
  const readings: Partial<Record<Leg, Reading>> = {}
  for (const leg of legs) {
    const body = bodies[leg]
    if (body === null) return { kind: 'unread', leg, why: `the ${leg}'s body was not kept` }
    const reading = readAnswer(mapping, leg, answered(body))
    if (reading.kind === 'problem') return { kind: 'unread', leg, why: spellProblem({ ...reading, leg }) }
    readings[leg] = reading
  }
  return pairOf(mapping, readings as Record<Leg, Reading>)
}

/** The same for answers that were kept whole (values and classes); `null` for answers kept in brief. */
export function pairOfAnswers(mapping: OutputMapping, primary: Answer, candidate: Answer): AnswerPair | null {
  return primary.kind === 'brief' || candidate.kind === 'brief' ? null : pairOf(mapping, { primary, candidate })
}

/** The same for rows whose bodies were not kept, from their labels alone; `null` where there are none. */
export function pairOfRowLabels(mapping: OutputMapping, primary: Answer, candidate: Answer): AnswerPair | null {
  const sides = { primary: readingOfRows(primary), candidate: readingOfRows(candidate) }
  return sides.primary && sides.candidate && pairOf(mapping, sides as Record<Leg, Reading>)
}

function readingOfRows(answer: Answer): Reading | null {
  if (answer.kind !== 'brief' || answer.rowLabels === undefined) return null
  const rows = labelsOfRows(answer.rowLabels).map((label) => ({ kind: 'class', label, ...noScores }) as const)
  return { kind: 'rows', rows }
}
const noScores = { scores: null, labels: null }

function pairOf(mapping: OutputMapping, { primary, candidate }: Record<Leg, Reading>): AnswerPair {
  const pair = compareReadings(mapping, primary, candidate)
  if (pair.kind === 'problem') {
    return { kind: 'unread', leg: 'candidate', why: spellProblem({ ...pair, leg: 'candidate' }) }
  }
  return view(mapping, pair)
}

/** Kept bodies are stored without content coding, so they need no headers. */
function answered({ body, bodyEncoding }: KeptBody): Answered {
  return { kind: 'answered', status: 200, headers: {}, body, bodyEncoding, totalMs: 0 }
}

function view(mapping: OutputMapping, pair: Pair): AnswerPair {
  const { primary, candidate } = pair
  if (primary.kind === 'value' && candidate.kind === 'value') {
    const units = mapping.kind === 'regression' ? (mapping.units ?? null) : null
    return numbers('value', listOf(primary.value), listOf(candidate.value), { units, cosine: null })
  }
  if (primary.kind === 'class' && candidate.kind === 'class' && mapping.kind === 'classification') {
    return scores(mapping, primary, candidate)
  }
  if (pair.differences?.kind === 'rows') return rows(mapping, pair.differences.pairs)
  if (primary.kind === 'json' && candidate.kind === 'json' && mapping.kind === 'json') {
    return listFields(primary, candidate, mapping)
  }
  const { index, differences, row } = furthestRow(mapping, pair)
  if (primary.kind === 'vectors' && candidate.kind === 'vectors' && differences?.kind === 'embedding') {
    const more = { units: null, cosine: differences.cosine, ...row }
    return numbers('vector', primary.vectors[index]!, candidate.vectors[index]!, more)
  }
  const isOfBoxes = primary.kind === 'boxes' && candidate.kind === 'boxes' && mapping.kind === 'detection'
  if (isOfBoxes && differences?.kind === 'detection') {
    return { ...boxes(mapping, primary.rows[index]!, candidate.rows[index]!, differences.quality), ...row }
  }
  if (primary.kind === 'texts' && candidate.kind === 'texts' && differences?.kind === 'text') {
    const { editSimilarity, tokenF1 } = differences
    const sides = { primary: cut(primary.texts[index]!), candidate: cut(candidate.texts[index]!) }
    return { kind: 'text', ...sides, editSimilarity, tokenF1, ...row }
  }
  throw new TypeError(`a pair of ${primary.kind} and ${candidate.kind} under a mapping of ${mapping.kind}`)
}

const listOf = (value: number | number[]) => (typeof value === 'number' ? [value] : value)

function numbers(
  of: NumbersPair['of'],
  primary: number[],
  candidate: number[],
  more: Pick<NumbersPair, 'units' | 'cosine' | 'row'>,
): NumbersPair {
  const distances = primary.map((value, i) => Math.abs(candidate[i]! - value))
  const shown = mostOf(distances, numbersShownMax).sort((a, b) => a - b)
  return {
    kind: 'numbers',
    of,
    ...more,
    elements: primary.length,
    meanAbsolute: distances.reduce((sum, each) => sum + each, 0) / distances.length,
    maximum: distances.reduce((greatest, each) => Math.max(greatest, each), 0),
    shown: shown.map((index) => ({ index, primary: primary[index]!, candidate: candidate[index]! })),
  }
}

/** The row whose two sides differ most; `row` names it if there are several. */
function furthestRow(
  mapping: OutputMapping,
  pair: Pair,
): { index: number; differences?: RowDifferences; row?: Pick<NumbersPair, 'row'> } {
  const { byRow = [] } = pair
  const disagreements = byRow.map((differences) => disagreementOf(mapping, { ...pair, differences }))
  const index = disagreements.indexOf(Math.max(...disagreements))
  return { index, differences: byRow[index], row: byRow.length > 1 ? { row: { index, of: byRow.length } } : {} }
}

function scores(mapping: ClassificationMapping, primary: ClassAnswer, candidate: ClassAnswer): ScoresPair {
  const labels = primary.labels ?? candidate.labels ?? []
  const scoreOf = ({ scores }: ClassAnswer, i: number) => scores?.[i] ?? null
  const greatest = labels.map((_, i) => Math.max(scoreOf(primary, i) ?? 0, scoreOf(candidate, i) ?? 0))
  const scoreMin = scoreMinOf(mapping)
  const given = viewGiven(mapping, { primary, candidate }, givenShownMax)
  return {
    kind: 'scores',
    primary: primary.label,
    candidate: candidate.label,
    labels: primary.of ?? candidate.of ?? labels.length,
    shown: mostOf(greatest, scoresKeptMax).map((i) => ({
      label: labels[i]!,
      primary: scoreOf(primary, i),
      candidate: scoreOf(candidate, i),
    })),
    ...(scoreMin && { scoreMin }),
    ...(given && { given }),
  }
}

function rows(mapping: OutputMapping, pairs: readonly ClassPair[]): RowsPair {
  const topOf = ({ label, labels, scores }: ClassAnswer) => ({
    label,
    score: scores?.[labels?.indexOf(label) ?? -1] ?? null,
  })
  return {
    kind: 'rows',
    rows: pairs.length,
    differing: pairs.filter((pair) => {
      const given = viewGiven(mapping, pair, 0)
      return given ? given.missing.count + given.added.count > 0 : pair.primary.label !== pair.candidate.label
    }).length,
    shown: mostOf(
      pairs.map((pair) => rowsDisagreement(mapping, [pair])),
      rowsShownMax,
    ).map((row) => {
      const given = viewGiven(mapping, pairs[row]!, rowGivenShownMax)
      return {
        row,
        primary: topOf(pairs[row]!.primary),
        candidate: topOf(pairs[row]!.candidate),
        ...(given && { given }),
      }
    }),
  }
}

function boxes(mapping: DetectionMapping, primary: Box[], candidate: Box[], quality: number): BoxesPair {
  const matches = matchBoxes(primary, candidate, mapping.iouMin)
  const viewOf = ({ corners, score }: Box) => ({ corners, score })
  const alone = (side: Box[], taken: Set<number>) => side.filter((_, i) => !taken.has(i))
  const onlyPrimary = alone(primary, new Set(matches.map(({ p }) => p)))
  const onlyCandidate = alone(candidate, new Set(matches.map(({ c }) => c)))
  const { coordinates, imageSize } = sideOf(mapping, 'primary')
  return {
    kind: 'boxes',
    frame: coordinates === 'relative' || imageSize !== undefined ? 'relative' : 'pixel',
    iouMin: mapping.iouMin,
    matched: matches.length,
    onlyPrimary: onlyPrimary.length,
    onlyCandidate: onlyCandidate.length,
    quality,
    shown: [
      ...onlyPrimary.map((box) => ({ label: box.label, primary: viewOf(box), candidate: null, iou: null })),
      ...onlyCandidate.map((box) => ({ label: box.label, primary: null, candidate: viewOf(box), iou: null })),
      ...matches
        .toSorted((a, b) => a.iou - b.iou)
        .map(({ p, c, iou }) => ({
          label: primary[p]!.label,
          primary: viewOf(primary[p]!),
          candidate: viewOf(candidate[c]!),
          iou,
        })),
    ].slice(0, boxesShownMax),
  }
}

function cut(text: string): CutText {
  return { text: text.slice(0, textShownMax), length: text.length }
}
