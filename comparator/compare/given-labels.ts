import type { Leg } from '../../vocabulary/leg.ts'
import type { Score } from './answer.ts'

/** Whether a label is given: from its side's `scoreMin` up. An unlisted label is never given. */
export const isGiven = (score: Score, scoreMin: number): boolean => score !== null && score >= scoreMin

/**
 * Compares the labels that both sides give, for a model that may give several or none: F1 = 2·|P ∩ C| ÷ (|P| + |C|), 1
 * if neither side gives any, and whether both sets are equal. `primary[i]` and `candidate[i]` belong to the same label.
 */
export function compareGiven(
  primary: readonly Score[],
  candidate: readonly Score[],
  scoreMin: Record<Leg, number>,
): { f1: number; equal: 0 | 1 } {
  let both = 0
  let all = 0
  for (const [i, score] of primary.entries()) {
    const byPrimary = isGiven(score, scoreMin.primary)
    const byCandidate = isGiven(candidate[i]!, scoreMin.candidate)
    all += Number(byPrimary) + Number(byCandidate)
    if (byPrimary && byCandidate) both++
  }
  return { f1: all === 0 ? 1 : (2 * both) / all, equal: 2 * both === all ? 1 : 0 }
}
