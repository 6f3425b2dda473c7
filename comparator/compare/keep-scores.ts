import { type Answer, type ClassAnswer, type Score, withZeros } from './answer.ts'
import { mostOf } from './most-of.ts'

/** Limit per side; views of a pair never show more. */
export const scoresKeptMax = 20

type Scored = ClassAnswer & { scores: Score[]; labels: string[] }
type Pair = { primary: Answer | null; candidate: Answer | null }

/**
 * Both answers as an observation keeps them: of many labels, those with the highest scores on either side. All scores
 * of a thousand labels would take 36 kB per exchange, outside the limits of bodies, and ground truth that arrives later
 * needs none of them. Two answers with scores have the same labels in the same order.
 */
export function keepScores({ primary, candidate }: Pair): Pair {
  const scored = [primary, candidate].filter(isScored)
  if (scored.every(({ scores }) => scores.length <= 2 * scoresKeptMax)) return { primary, candidate }
  const kept = [...new Set(scored.flatMap(({ scores }) => mostOf(withZeros(scores), scoresKeptMax)))].sort(
    (a, b) => a - b,
  )
  const cut = (answer: Answer | null) => (isScored(answer) ? cutTo(kept, answer) : answer)
  return { primary: cut(primary), candidate: cut(candidate) }
}

const isScored = (answer: Answer | null): answer is Scored => answer?.kind === 'class' && answer.scores !== null

const cutTo = (kept: readonly number[], answer: Scored): ClassAnswer => ({
  ...answer,
  scores: kept.map((i) => answer.scores[i]!),
  labels: kept.map((i) => answer.labels[i]!),
  of: answer.labels.length,
})
