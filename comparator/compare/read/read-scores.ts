import type { Leg } from '../../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { elementsMax, isUsableNumber } from '../answer.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
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
  const scored = Array.isArray(list) ? readList(side, path, list) : readKeyed(side, path, document, list)
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

function readList(side: Side, path: string, list: unknown[]): Scored | Problem {
  if (list.length > elementsMax) return problem('tooLarge', path, 'scores', describe(list))
  if (list.length === 0) return readNone(side, path, list)
  if (isObject(list[0]) || (side.protocol === 'torchserve' && Array.isArray(list[0]))) {
    return readNamed(side, path, list)
  }
  const { labels } = side
  if (labels && labels.length !== list.length) {
    return problem('shape', path, `${labels.length} scores, as many as labels`, describe(list))
  }
  const misfits = list.findIndex((score) => !isUsableNumber(score))
  if (misfits < 0) return { kind: 'scored', scores: list as number[], labels: labels ?? indexLabels(list.length) }
  const found = describe(list[misfits])
  return Array.isArray(list[misfits])
    ? problem('type', path, `scores, or ${path}/* for those of several rows`, `${found} at ${misfits}`)
    : problem('type', path, 'scores', `${found} at ${misfits}`)
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
      return problem('type', path, `items with ${label} and ${score}, or others by item:`, `${describe(item)} at ${i}`)
    }
    if (scoreOf.has(text)) return problem('shape', path, 'each label once', `one for the second time at ${i}`)
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

function handled(item: unknown): unknown[] {
  if (typeof item !== 'object' || item === null) return []
  const [entry, ...others] = Array.isArray(item) ? [item] : Object.entries(item)
  return others.length === 0 && entry?.length === 2 ? entry : []
}

function readKeyed(side: Side, path: string, document: unknown, found: unknown): Scored | Problem {
  if (typeof found !== 'object' || found === null) return misfit(document, path, found, 'scores')
  const keyed = found as Record<string, unknown>
  // TorchServe's handlers answer with the best few labels only
  const isBest = side.protocol === 'torchserve'
  const names = isBest || side.labels === undefined ? Object.keys(keyed).sort() : side.labels
  if (names.length > elementsMax) return problem('tooLarge', path, 'scores', describe(found))
  if (names.length === 0) return readNone(side, path, found)
  const scores: number[] = []
  for (const name of names) {
    const score = Object.hasOwn(keyed, name) ? keyed[name] : undefined
    if (!isUsableNumber(score) || labelOf(name) === null) {
      return problem('type', path, 'a score for each label', describe(score === undefined ? found : score))
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
