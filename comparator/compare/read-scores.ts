import type { Leg } from '../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../vocabulary/mapping-kinds.ts'
import { elementsMax, isUsableNumber } from './answer.ts'
import { describe, misfit, type Problem, problem } from './mapping-problem.ts'
import { labelOf } from './read-label.ts'
import { resolvePointer } from './resolve-pointer.ts'
import { unwrapList } from './unwrap-singles.ts'

export interface Scored {
  kind: 'scored'
  scores: number[]
  labels: string[]
}

type Side = Omit<ClassificationMapping, Leg>

/** The scores of one side, in the order of its declared labels where there are any. */
export function readScores(side: Side, document: unknown): Scored | Problem {
  const path = side.scores!
  const found = resolvePointer(document, path)
  const list = side.protocol === 'oip' ? unwrapList(found) : found
  const scored = Array.isArray(list) ? readList(side, path, list) : readKeyed(side, path, document, list)
  if (scored.kind === 'problem' || side.scale === undefined) return scored
  const scores = scored.scores.map((score) => score * side.scale!)
  return scores.every(isUsableNumber)
    ? { ...scored, scores }
    : problem('type', path, 'scores', 'numbers too large after scale')
}

function readList(side: Side, path: string, list: unknown[]): Scored | Problem {
  if (list.length === 0 || list.length > elementsMax) {
    return problem(list.length === 0 ? 'shape' : 'tooLarge', path, 'scores', describe(list))
  }
  if (side.protocol === 'torchserve' && typeof list[0] === 'object') {
    const keyed = keyedByList(list)
    return keyed === null
      ? problem('type', path, 'scores with their labels', describe(list[0]))
      : readKeyed(side, path, keyed, keyed)
  }
  const { labels } = side
  if (labels && labels.length !== list.length) {
    return problem('shape', path, `${labels.length} scores, as many as labels`, describe(list))
  }
  const misfits = list.findIndex((score) => !isUsableNumber(score))
  return misfits < 0
    ? { kind: 'scored', scores: list as number[], labels: labels ?? indexLabels(list.length) }
    : problem('type', path, 'scores', `${describe(list[misfits])} at ${misfits}`)
}

/** `[{"cat": 0.9}, …]`, `[["cat", 0.9], …]` or `[{"label": "cat", "score": 0.9}, …]` as one object. */
function keyedByList(list: unknown[]): Record<string, unknown> | null {
  const pairs: [string, unknown][] = []
  for (const item of list) {
    if (typeof item !== 'object' || item === null) return null
    const entries = Array.isArray(item) ? [item] : Object.entries(item)
    const { label, score } = item as { label?: unknown; score?: unknown }
    const isNamed = label !== undefined && score !== undefined
    if (!isNamed && (entries.length !== 1 || entries[0]!.length !== 2)) return null
    const name = labelOf(isNamed ? label : entries[0]![0])
    if (name === null) return null
    pairs.push([name, isNamed ? score : entries[0]![1]])
  }
  return Object.fromEntries(pairs)
}

function readKeyed(side: Side, path: string, document: unknown, found: unknown): Scored | Problem {
  if (typeof found !== 'object' || found === null) return misfit(document, path, found, 'scores')
  const keyed = found as Record<string, unknown>
  const names = side.labels ?? Object.keys(keyed).sort()
  if (names.length === 0 || names.length > elementsMax) {
    return problem(names.length === 0 ? 'shape' : 'tooLarge', path, 'scores', describe(found))
  }
  const scores: number[] = []
  for (const name of names) {
    // TorchServe's handlers answer with the best few classes alone
    const score = Object.hasOwn(keyed, name) ? keyed[name] : side.protocol === 'torchserve' ? 0 : undefined
    if (!isUsableNumber(score) || labelOf(name) === null) {
      return problem('type', path, 'a score for each label', score === undefined ? 'one missing' : describe(score))
    }
    scores.push(score)
  }
  return { kind: 'scored', scores, labels: names }
}

const indexLabelsByLength = new Map<number, string[]>()
const cachedLabelsMax = 10_000

/** One shared array a length: most bodies of a validation are of one length. */
function indexLabels(length: number): string[] {
  const known = indexLabelsByLength.get(length)
  if (known !== undefined) return known
  const made = Array.from({ length }, (_, i) => String(i))
  if (length <= cachedLabelsMax && indexLabelsByLength.size < 100) indexLabelsByLength.set(length, made)
  return made
}
