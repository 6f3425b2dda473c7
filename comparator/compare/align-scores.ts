import type { ClassAnswer } from './answer.ts'

export interface ClassPair {
  primary: ClassAnswer
  candidate: ClassAnswer
}

/**
 * Both answers with their scores in one order, the primary's first; the candidate's without scores where only one side
 * has them. A label that a list of the best few leaves out has the score `null`; `null` for the pair where a side that
 * answers with all of its labels lacks one of the other's, or one that lacks some has a score below 0: of logits and
 * logarithms 0 is no score of what is not listed.
 */
export function alignScores(primary: ClassAnswer, candidate: ClassAnswer): ClassPair | null {
  if (primary.labels === null || candidate.labels === null) {
    return { primary, candidate: { ...candidate, scores: null, labels: null } }
  }
  if (primary.labels === candidate.labels || haveSameOrder(primary.labels, candidate.labels)) {
    return { primary, candidate }
  }
  const labels = [...new Set([...primary.labels, ...candidate.labels])]
  const isWhole = [primary, candidate].every((side) => side.isBest || side.labels!.length === labels.length)
  if (!isWhole) return null
  const pair = { primary: inOrder(primary, labels), candidate: inOrder(candidate, labels) }
  return hasNegativeBesideNone(pair.primary) || hasNegativeBesideNone(pair.candidate) ? null : pair
}

function hasNegativeBesideNone({ scores }: ClassAnswer): boolean {
  return scores!.includes(null) && scores!.some((score) => score !== null && score < 0)
}

function inOrder(answer: ClassAnswer, labels: string[]): ClassAnswer {
  const scoreOf = new Map(answer.labels!.map((label, i) => [label, answer.scores![i]!]))
  return { ...answer, labels, scores: labels.map((label) => scoreOf.get(label) ?? null) }
}

function haveSameOrder(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((label, i) => label === b[i])
}
