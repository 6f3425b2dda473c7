import { editSimilarity } from './edit-similarity.ts'

/** How two texts differ; for several rows the means. Similarities are in [0, 1], 1 for equal texts. */
export interface TextDifferences {
  kind: 'text'
  /** 1 if they are equal, else 0. */
  exact: number
  /** 1 if they are equal except for case, white space and compatible forms of Unicode, else 0. */
  normalised: number
  /** 1 − edit distance ÷ the longer one's length, in code points. */
  editSimilarity: number
  /** 2·common ÷ (words of both sides), with repeated words counted (SQuAD's F1, Rajpurkar et al. 2016). */
  tokenF1: number
  /** In UTF-16 units. */
  primaryLength: number
  candidateLength: number
}

export function compareTexts(primary: string, candidate: string): TextDifferences {
  const lengths = { primaryLength: primary.length, candidateLength: candidate.length }
  if (primary === candidate) {
    return { kind: 'text', exact: 1, normalised: 1, editSimilarity: 1, tokenF1: 1, ...lengths }
  }
  const [p, c] = [normalise(primary), normalise(candidate)]
  return {
    kind: 'text',
    exact: 0,
    normalised: p === c ? 1 : 0,
    editSimilarity: editSimilarity(primary, candidate),
    tokenF1: tokenF1(p, c),
    ...lengths,
  }
}

/** NFKC, lower case, and a single space for every run of white space. */
function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, ' ').trim()
}

/** Words are runs of letters, marks, digits and underscores; two texts without words agree. */
function tokenF1(primary: string, candidate: string): number {
  const left = new Map<string, number>()
  const ofPrimary = wordsOf(primary)
  const ofCandidate = wordsOf(candidate)
  for (const word of ofPrimary) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of ofCandidate) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    common++
  }
  const words = ofPrimary.length + ofCandidate.length
  return words === 0 ? 1 : (2 * common) / words
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
}
