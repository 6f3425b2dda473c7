import type { Leg } from '../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../vocabulary/mapping-kinds.ts'
import { type ClassAnswer, noLabel } from './answer.ts'
import type { Problem } from './mapping-problem.ts'
import { readLabel, setOf, unknownLabel } from './read-label.ts'
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
  const found = side.label === undefined ? null : readLabel(document, side.label, side.protocol === 'oip')
  if (found !== null && typeof found === 'object') return found
  const path = (side.label ?? side.scores)!
  if (found !== null && side.labels !== undefined && !setOf(side.labels).has(found)) {
    return unknownLabel(path, found, side.labels)
  }
  const map = leg === 'candidate' ? side.labelMap : undefined
  const own = scored === null || map === undefined ? scored : renameScores(map, scored, side.scoreMin !== undefined)
  const label = found === null ? topLabel(own!) : map === undefined ? found : renameLabel(map, found)
  const listed = own?.isBest ? own.labels : []
  // an answer without labels names none that could be unknown; one that is spelt as `noLabel` is a label
  const named = found === null && own!.labels.length === 0 ? [] : [label, ...listed]
  const other = known && named.find((one) => !known.has(one))
  if (known !== null && other != null) return unknownLabel(path, other, known)
  if (own === null) return { kind: 'class', label, scores: null, labels: null }
  const { scores, labels, isBest } = own
  return { kind: 'class', label, scores, labels, ...(isBest && { isBest }) }
}

export function renameLabel(map: Record<string, string>, label: string): string {
  return Object.hasOwn(map, label) ? map[label]! : label
}

/**
 * Several labels may become one: what the models know apart in different detail. Their scores add up, but for labels of
 * which several may hold at once: of these the greatest counts.
 */
function renameScores(map: Record<string, string>, scored: Scored, areIndependent: boolean): Scored {
  const scoreOf = new Map<string, number>()
  for (const [i, label] of scored.labels.entries()) {
    const renamed = renameLabel(map, label)
    const [score, known] = [scored.scores[i]!, scoreOf.get(renamed)]
    scoreOf.set(renamed, known === undefined ? score : areIndependent ? Math.max(known, score) : known + score)
  }
  return { ...scored, scores: [...scoreOf.values()], labels: [...scoreOf.keys()] }
}

/** The first of the highest scores. */
function topLabel({ scores, labels }: Scored): string {
  let top = 0
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[top]!) top = i
  return labels[top] ?? noLabel
}
