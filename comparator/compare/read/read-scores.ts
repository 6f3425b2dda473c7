import type { Leg } from '../../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { elementsMax, isUsableNumber } from '../answer.ts'
import { describe, misfit, type Problem, pointerTo, problem } from './mapping-problem.ts'
import { labelOf, setOf, unknownLabel } from './read-label.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapList } from './unwrap-singles.ts'

/** Scores in the answer's order: `scores[i]` belongs to `labels[i]`. */
export interface Scored {
  kind: 'scored'
  scores: number[]
  labels: string[]
  /** Set for a list by label, perhaps of the best few only. */
  isBest?: true
}

type Side = Omit<ClassificationMapping, Leg>

export function readScores(side: Side, document: unknown): Scored | Problem {
  const path = side.scores!
  const found = resolvePointer(document, path)
  const list = side.protocol === 'oip' ? unwrapList(found) : found
  const scored = readForm(side, document, list)
  if (scored.kind === 'problem') return scored
  const { scale, labels } = side
  const scores = scale === undefined ? scored.scores : scored.scores.map((score) => score * scale)
  if (!scores.every(isUsableNumber)) return problem('type', path, 'scores', 'numbers too large after scale')
  // negative scores are logits or logarithms, for which 0 cannot stand for an unlisted label
  if (scored.isBest && scores.length !== labels?.length && scores.some((score) => score < 0)) {
    return problem('type', path, 'scores of at least 0, or one for each of labels:', 'a negative one')
  }
  return { ...scored, scores }
}

function readForm(side: Side, document: unknown, found: unknown): Scored | Problem {
  if (side.classes !== undefined) return readBeside(side, side.classes, document, found)
  return Array.isArray(found) ? readList(side, side.scores!, found) : readKeyed(side, side.scores!, document, found)
}

/** Scores beside a list of their labels: `{"labels": ["cat", …], "scores": [0.9, …]}`. */
function readBeside(side: Side, path: string, document: unknown, scores: unknown): Scored | Problem {
  const found = resolvePointer(document, path)
  const names = side.protocol === 'oip' ? unwrapList(found) : found
  if (!Array.isArray(scores)) return misfit(document, side.scores!, scores, 'a list of scores')
  if (!Array.isArray(names)) return misfit(document, path, found, 'a list of labels')
  if (names.length !== scores.length) {
    return problem('shape', path, `${scores.length} labels, as many as scores`, describe(names))
  }
  if (names.length > elementsMax) return problem('tooLarge', path, 'labels', describe(names))
  if (names.length === 0) return readNone(side, path, names)
  return byLabel(
    side,
    path,
    names.map((name, i) => [name, scores[i]]),
  )
}

/** Scores by the labels that an answer names, each once. */
function byLabel(side: Side, path: string, pairs: readonly unknown[][]): Scored | Problem {
  const scoreOf = new Map<string, number>()
  for (const [i, [name, given]] of pairs.entries()) {
    const [text, score] = [labelOf(name), scoreIn(side, given)]
    if (text === null) return problem('type', path, 'labels', `${describe(name)} at ${i}`)
    if (score === null) return problem('type', side.scores!, 'scores', `${describe(given)} at ${i}`)
    if (scoreOf.has(text)) return problem('shape', path, 'each label once', `one for the second time at ${i}`)
    scoreOf.set(text, score)
  }
  return listed(side, path, [...scoreOf.keys()], [...scoreOf.values()])
}

/** A score; true and false where labels are given or not. `null` for anything else. */
function scoreIn({ scoreMin }: Side, value: unknown): number | null {
  if (isUsableNumber(value)) return value
  return typeof value === 'boolean' && scoreMin !== undefined ? Number(value) : null
}

function readList(side: Side, path: string, list: unknown[]): Scored | Problem {
  if (list.length > elementsMax) return problem('tooLarge', path, 'scores', describe(list))
  if (list.length === 0) return readNone(side, path, list)
  if (isObject(list[0]) || (side.protocol === 'torchserve' && Array.isArray(list[0]))) {
    return readNamed(side, path, list)
  }
  const { label, labels, scoreMin } = side
  if (scoreMin !== undefined && typeof list[0] === 'string') {
    return byLabel(
      side,
      path,
      list.map((name) => [name, true]),
    )
  }
  const scores = list.map((score) => scoreIn(side, score))
  const misfits = scores.indexOf(null)
  if (misfits >= 0) {
    return problem('type', path, insteadOfScore(path, list[misfits]), `${describe(list[misfits])} at ${misfits}`)
  }
  if (labels && labels.length !== list.length) {
    return problem('shape', path, `${labels.length} scores, as many as labels`, describe(list))
  }
  // the only score is always the highest, so both sides would seem to agree whatever they answer
  if (list.length === 1 && label === undefined && scoreMin === undefined) {
    return problem('shape', path, `two scores or more, one with scoreMin:, or label: ${path}/0 for a label`, 'one')
  }
  return { kind: 'scored', scores: scores as number[], labels: labels ?? indexLabels(list.length) }
}

const orGiven = 'scoreMin: for labels that are given or not'

/** What is expected where an item of a list of scores is none: also how to map the likely forms. */
function insteadOfScore(path: string, item: unknown): string {
  if (isHandled(item)) return 'scores, or protocol: torchserve for pairs of a label and its score'
  if (Array.isArray(item)) return `scores, or ${path}/* for those of several rows`
  if (typeof item === 'string') {
    return `scores, or label: ${path}/* for the labels of several rows, or scoreMin: for several labels of one`
  }
  return typeof item === 'boolean' ? `scores, or ${orGiven}` : 'scores'
}

/**
 * `[{"label": "cat", "score": 0.9}, …]`, or as from TorchServe's handlers `[{"cat": 0.9}, …]` or `[["cat", 0.9], …]`.
 */
function readNamed(side: Side, path: string, list: unknown[]): Scored | Problem {
  const scoreOf = new Map<string, number>()
  const { label = '/label', score = '/score' } = side.item ?? {}
  for (const [i, item] of list.entries()) {
    const named = [resolvePointer(item, label), resolvePointer(item, score)]
    const [name, value] = named.includes(undefined) && side.protocol === 'torchserve' ? handled(item) : named
    const text = labelOf(name)
    if (text === null || !isUsableNumber(value)) {
      const others = isHandled(item)
        ? 'protocol: torchserve'
        : `others by item:, or ${path}/* for those of several rows`
      return problem('type', path, `items with ${label} and ${score}, or ${others}`, `${describe(item)} at ${i}`)
    }
    if (scoreOf.has(text)) {
      const expected = `each label once, or label: ${path}/*${label} for those of several rows`
      return problem('shape', path, expected, `one for the second time at ${i}`)
    }
    scoreOf.set(text, value)
  }
  return listed(side, path, [...scoreOf.keys()], [...scoreOf.values()])
}

/** Keeps the answer's order: of equal scores, the first listed is the predicted label. */
function listed(side: Side, path: string, labels: string[], scores: number[]): Scored | Problem {
  const declared = side.labels && setOf(side.labels)
  const other = declared && labels.find((label) => !declared.has(label))
  if (other !== undefined) return unknownLabel(path, other, side.labels!)
  return { kind: 'scored', scores, labels, isBest: true }
}

/** An answer without labels, which is allowed where one may give several or none. */
function readNone({ scoreMin }: Side, path: string, found: object): Scored | Problem {
  return scoreMin === undefined
    ? problem('shape', path, 'scores', describe(found))
    : { kind: 'scored', scores: [], labels: [], isBest: true }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether it is a pair of a label and its score, as TorchServe's handlers make them. */
function isHandled(item: unknown): boolean {
  const [label, score] = handled(item)
  return typeof label === 'string' && isUsableNumber(score)
}

function handled(item: unknown): unknown[] {
  if (typeof item !== 'object' || item === null) return []
  const [entry, ...others] = Array.isArray(item) ? [item] : Object.entries(item)
  return others.length === 0 && entry?.length === 2 ? entry : []
}

function readKeyed(side: Side, path: string, document: unknown, found: unknown): Scored | Problem {
  if (typeof found !== 'object' || found === null) {
    return misfit(document, path, found, found == null ? 'scores' : `scores, or label: ${path || '""'} for a label`)
  }
  const keyed = found as Record<string, unknown>
  // TorchServe's handlers answer with the best few labels only
  const isBest = side.protocol === 'torchserve'
  const names = isBest || side.labels === undefined ? Object.keys(keyed).sort() : side.labels
  if (names.length > elementsMax) return problem('tooLarge', path, 'scores', describe(found))
  if (names.length === 0) return readNone(side, path, found)
  const scores: number[] = []
  for (const name of names) {
    const value = Object.hasOwn(keyed, name) ? keyed[name] : undefined
    const score = scoreIn(side, value)
    if (score === null || labelOf(name) === null) {
      const orLabel = typeof value === 'string' ? `, or label: ${pointerTo(path, name)} for a label` : ''
      const orBooleans = typeof value === 'boolean' ? `, or ${orGiven}` : ''
      const expected = `a score for each label${orLabel}${orBooleans}`
      return problem('type', path, expected, describe(value === undefined ? found : value))
    }
    scores.push(score)
  }
  return isBest ? listed(side, path, names, scores) : { kind: 'scored', scores, labels: names }
}

const indexLabelsByLength = new Map<number, string[]>()
const cachedLabelsMax = 10_000

/** Labels 0, 1, …, shared by length, as most bodies of a validation have the same length. */
function indexLabels(length: number): string[] {
  const known = indexLabelsByLength.get(length)
  if (known !== undefined) return known
  const made = Array.from({ length }, (_, i) => String(i))
  if (length <= cachedLabelsMax && indexLabelsByLength.size < 100) indexLabelsByLength.set(length, made)
  return made
}
