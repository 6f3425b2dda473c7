import type { ClassAnswer } from './answer.ts'

export interface ClassPair {
  primary: ClassAnswer
  candidate: ClassAnswer
}

/**
 * Both answers with their scores in one order, the primary's; the candidate's without scores where only one side has
 * them; `null` where a label is missing on either side, unless one of them has the best few alone.
 */
export function alignScores(primary: ClassAnswer, candidate: ClassAnswer): ClassPair | null {
  if (primary.labels === null || candidate.labels === null) {
    return { primary, candidate: { ...candidate, scores: null, labels: null } }
  }
  if (primary.labels === candidate.labels || haveSameOrder(primary.labels, candidate.labels)) {
    return { primary, candidate }
  }
  const missingIsZero = primary.isBest || candidate.isBest
  const ofPrimary = missingIsZero ? extend(primary, candidate.labels) : primary
  const ofCandidate = missingIsZero ? extend(candidate, primary.labels) : candidate
  const labels = ofPrimary.labels!
  if (labels.length !== ofCandidate.labels!.length) return null
  const scoreOf = new Map(ofCandidate.labels!.map((label, i) => [label, ofCandidate.scores![i]!]))
  const scores: number[] = []
  for (const label of labels) {
    const score = scoreOf.get(label)
    if (score === undefined) return null
    scores.push(score)
  }
  return { primary: ofPrimary, candidate: { ...candidate, scores, labels } }
}

function extend(answer: ClassAnswer, others: string[]): ClassAnswer {
  const own = new Set(answer.labels)
  const missing = others.filter((label) => !own.has(label))
  return {
    ...answer,
    labels: [...answer.labels!, ...missing],
    scores: [...answer.scores!, ...missing.map(() => 0)],
  }
}

function haveSameOrder(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((label, i) => label === b[i])
}
