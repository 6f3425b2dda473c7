import type { ClassAnswer } from './answer.ts'

export interface ClassPair {
  primary: ClassAnswer
  candidate: ClassAnswer
}

/**
 * Brings both answers' scores into one order, that of the primary's labels first. If only one side has scores, the
 * candidate has none. A label that a list of the best few leaves out gets the score `null`. Returns `null` if a side
 * that answers with all of its labels lacks one of the other's, or if a side that lacks some has a score below 0: it
 * has logits or logarithms, for which 0 cannot stand for an unlisted label.
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
