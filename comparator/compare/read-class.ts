import type { Leg } from '../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../vocabulary/mapping-kinds.ts'
import type { ClassAnswer } from './answer.ts'
import type { Problem } from './mapping-problem.ts'
import { readLabel, unknownLabel } from './read-label.ts'
import { readScores, type Scored } from './read-scores.ts'

type Side = Omit<ClassificationMapping, Leg>

/**
 * A label, scores or both, in the primary's labels: the candidate's are renamed by `labelMap`. `known` are the labels
 * that the primary's side declares, if it does: another one is no answer.
 */
export function readClass(
  side: Side,
  leg: Leg,
  document: unknown,
  known: ReadonlySet<string> | null,
): ClassAnswer | Problem {
  const scored = side.scores === undefined ? null : readScores(side, document)
  if (scored?.kind === 'problem') return scored
  const label = side.label === undefined ? topLabel(scored!) : readLabel(document, side.label, side.protocol === 'oip')
  if (typeof label === 'object') return label
  const path = (side.label ?? side.scores)!
  if (side.labels !== undefined && !setOf(side.labels).has(label)) return unknownLabel(path, label, side.labels)
  const map = leg === 'candidate' ? side.labelMap : undefined
  const renamed = map === undefined ? label : renameLabel(map, label)
  if (known !== null && !known.has(renamed)) return unknownLabel(path, renamed, known)
  const { scores, labels } = scored === null || map === undefined ? (scored ?? noScores) : renameScores(map, scored)
  return {
    kind: 'class',
    label: map !== undefined && side.label === undefined ? topLabel({ scores: scores!, labels: labels! }) : renamed,
    scores,
    labels,
    ...(scored?.isBest && { isBest: true }),
  }
}

const sets = new WeakMap<string[], ReadonlySet<string>>()

function setOf(labels: string[]): ReadonlySet<string> {
  return sets.getOrInsertComputed(labels, () => new Set(labels))
}

const noScores = { scores: null, labels: null }

export function renameLabel(map: Record<string, string>, label: string): string {
  return Object.hasOwn(map, label) ? map[label]! : label
}

/** Several labels may become one: what the models know apart in different detail. Their scores add up. */
function renameScores(map: Record<string, string>, { scores, labels }: Pick<Scored, 'scores' | 'labels'>) {
  const scoreOf = new Map<string, number>()
  for (const [i, label] of labels.entries()) {
    const renamed = renameLabel(map, label)
    scoreOf.set(renamed, (scoreOf.get(renamed) ?? 0) + scores[i]!)
  }
  return { scores: [...scoreOf.values()], labels: [...scoreOf.keys()] }
}

/** The first of the highest scores. */
function topLabel({ scores, labels }: Pick<Scored, 'scores' | 'labels'>): string {
  let top = 0
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[top]!) top = i
  return labels[top]!
}
