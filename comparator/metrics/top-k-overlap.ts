/**
 * |top k of a ∩ top k of b| ÷ k, in [0, 1]. Equal scores rank by their position. k is at most the number of scores.
 * Both sides have the same labels in the same order.
 */
export function topKOverlap(a: number[], b: number[], k: number): number {
  const kept = Math.min(k, a.length)
  const topOfA = topOf(a, kept)
  return topOf(b, kept).filter((index) => topOfA.includes(index)).length / kept
}

/** Indices of the k greatest scores, by insertion into a short list: k is small, and sorting 1,000 labels is not. */
function topOf(scores: number[], k: number): number[] {
  const top: number[] = []
  for (let i = 0; i < scores.length; i++) {
    if (top.length === k && scores[i]! <= scores[top[k - 1]!]!) continue
    let at = top.length
    while (at > 0 && scores[i]! > scores[top[at - 1]!]!) at--
    top.splice(at, 0, i)
    if (top.length > k) top.pop()
  }
  return top
}
