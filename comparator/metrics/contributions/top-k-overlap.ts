import type { Score } from '../../compare/answer.ts'

/**
 * The overlap of both sides' k greatest scores, in [0, 1]: Σᵢ min(aᵢ, bᵢ) ÷ k, where aᵢ is 1 for a score among a's k
 * greatest and 0 for one that is not. Scores that tie for the k-th place share the remaining places, so that no order
 * decides among equals. A label that a side does not list (`null`) has none of its places. k is limited to the number
 * of labels on the longer of both lists; 1 if neither lists any. Both sides must have the same labels in the same
 * order.
 */
export function topKOverlap(a: readonly Score[], b: readonly Score[], k: number): number {
  const [ofA, ofB] = [placesOf(a, k), placesOf(b, k)]
  let sure = 0
  let equalInA = 0
  let equalInB = 0
  let equalInBoth = 0
  for (const [i, score] of a.entries()) {
    const other = b[i]!
    if (score === null || other === null || score < ofA.least || other < ofB.least) continue
    const isEqualInA = score === ofA.least
    const isEqualInB = other === ofB.least
    if (isEqualInA && isEqualInB) equalInBoth++
    else if (isEqualInA) equalInA++
    else if (isEqualInB) equalInB++
    else sure++
  }
  const common = sure + ofA.shared(equalInA) + ofB.shared(equalInB)
  const kept = Math.max(ofA.places, ofB.places)
  return kept === 0 ? 1 : (common + Math.min(ofA.shared(equalInBoth), ofB.shared(equalInBoth))) / kept
}

/** The number of places, the lowest score with a place, and the places that a number of scores equal to it share. */
function placesOf(all: readonly Score[], k: number) {
  const scores = all.filter((score) => score !== null)
  const places = Math.min(k, scores.length)
  const least = greatest(scores, places).at(-1) ?? 0
  let above = 0
  let equal = 0
  for (const score of scores) {
    if (score > least) above++
    else if (score === least) equal++
  }
  return { places, least, shared: (count: number) => (count === 0 ? 0 : (count * (places - above)) / equal) }
}

/** Insertion into a short list: k is small, and sorting 1,000 scores would take longer. */
function greatest(scores: number[], k: number): number[] {
  const top: number[] = []
  for (const score of scores) {
    if (top.length === k && score <= top[k - 1]!) continue
    let at = top.length
    while (at > 0 && score > top[at - 1]!) at--
    top.splice(at, 0, score)
    if (top.length > k) top.pop()
  }
  return top
}
