import type { Leg } from '../../../vocabulary/leg.ts'
import type { ClassificationMapping } from '../../../vocabulary/mapping/mapping-kinds.ts'
import { type ClassAnswer, noLabel } from '../answer.ts'
import type { Problem } from './mapping-problem.ts'
import { readLabel, setOf, unknownLabel } from './read-label.ts'
import { readScores, type Scored } from './read-scores.ts'

type Side = Omit<ClassificationMapping, Leg>

/**
 * Reads a label, scores or both, in terms of the primary's labels: `labelMap` renames the candidate's. `known` are the
 * labels that the primary's side declares, if any; an answer with any other label is a problem.
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
  // `noLabel` is exempt only where the answer has no labels; an answer may contain that text as a label
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
 * Renames labels. Several may become one, where the models distinguish them in different detail. Their scores are added
 * up or, for independent labels of which several may hold at once, the greatest counts.
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

/** The label with the highest score, the first on a tie. */
function topLabel({ scores, labels }: Scored): string {
  let top = 0
  for (let i = 1; i < scores.length; i++) if (scores[i]! > scores[top]!) top = i
  return labels[top] ?? noLabel
}
