import type { GivenLabels } from '../../../vocabulary/api/given-labels.ts'
import type { OutputMapping } from '../../../vocabulary/mapping/output-mapping.ts'
import { scoreMinOf } from '../../../vocabulary/mapping/score-min.ts'
import type { ClassPair } from '../../compare/align-scores.ts'
import type { ClassAnswer } from '../../compare/answer.ts'
import { isGiven } from '../../compare/given-labels.ts'
import { scoresKeptMax } from '../../compare/keep-scores.ts'

export const scoreMinIn = (mapping: OutputMapping) => (mapping.kind === 'classification' ? scoreMinOf(mapping) : null)

/**
 * The labels that each side gives, at most `shownMax` of each kind by name. `null` where the mapping has no `scoreMin`,
 * and where not all scores were kept and a side gives at least as many labels as are kept, since it may give more.
 */
export function viewGiven(
  mapping: OutputMapping,
  { primary, candidate }: ClassPair,
  shownMax: number,
): GivenLabels | null {
  const scoreMin = scoreMinIn(mapping)
  if (scoreMin === null || primary.scores === null || candidate.scores === null) return null
  const given = { primary: givenBy(primary, scoreMin.primary), candidate: givenBy(candidate, scoreMin.candidate) }
  const isCut = primary.of !== undefined || candidate.of !== undefined
  if (isCut && Math.max(given.primary.length, given.candidate.length) >= scoresKeptMax) return null
  const view = (labels: string[]) => ({ count: labels.length, labels: labels.slice(0, shownMax) })
  return {
    primary: view(given.primary),
    candidate: view(given.candidate),
    missing: view(without(given.primary, given.candidate)),
    added: view(without(given.candidate, given.primary)),
  }
}

const givenBy = ({ labels, scores }: ClassAnswer, scoreMin: number) =>
  (labels ?? []).filter((_, i) => isGiven(scores?.[i] ?? null, scoreMin))

function without(labels: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return labels.filter((label) => !known.has(label))
}
