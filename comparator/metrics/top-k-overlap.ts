/**
 * What the k greatest scores of two sides have in common, in [0, 1]: Σᵢ min(aᵢ, bᵢ) ÷ k, where aᵢ is 1 for a score among
 * a's k greatest and 0 for one that is not; scores that are equal at the k-th place share the places that are left. So no
 * order decides among equals, such as the zeros of labels that a list of the best few leaves out. k is at most the number
 * of scores. Both sides have the same labels in the same order.
 */
export function topKOverlap(a: number[], b: number[], k: number): number {
  const kept = Math.min(k, a.length)
  const [ofA, ofB] = [placesOf(a, kept), placesOf(b, kept)]
  let sure = 0
  let equalInA = 0
  let equalInB = 0
  let equalInBoth = 0
  for (let i = 0; i < a.length; i++) {
    if (a[i]! < ofA.least || b[i]! < ofB.least) continue
    const isEqualInA = a[i] === ofA.least
    const isEqualInB = b[i] === ofB.least
    if (isEqualInA && isEqualInB) equalInBoth++
    else if (isEqualInA) equalInA++
    else if (isEqualInB) equalInB++
    else sure++
  }
  const common = sure + ofA.shared(equalInA) + ofB.shared(equalInB)
  return (common + Math.min(ofA.shared(equalInBoth), ofB.shared(equalInBoth))) / kept
}

/** The k-th greatest score, and how many of k places so many of those that equal it have. */
function placesOf(scores: number[], k: number) {
  const least = greatest(scores, k).at(-1)!
  let above = 0
  let equal = 0
  for (const score of scores) {
    if (score > least) above++
    else if (score === least) equal++
  }
  return { least, shared: (count: number) => (count * (k - above)) / equal }
}

/** By insertion into a short list: k is small, and sorting 1,000 scores is not. */
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
