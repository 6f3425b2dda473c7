/** Longer differing parts are compared piece by piece. */
const pieceMax = 2048

/**
 * 1 − Levenshtein distance ÷ the longer one's length, in code points; 1 for two empty texts. A common start and end
 * cost nothing. If more than 2,048 code points remain, both rests are cut into the same number of equal pieces, whose
 * distances are added up. The sum is never less than the true distance, so the similarity is never too high, and the
 * work is proportional to the length.
 */
export function editSimilarity(a: string, b: string): number {
  const as = Array.from(a, codePoint)
  const bs = Array.from(b, codePoint)
  const longer = Math.max(as.length, bs.length)
  if (longer === 0) return 1
  let start = 0
  while (start < as.length && start < bs.length && as[start] === bs[start]) start++
  let endOfA = as.length
  let endOfB = bs.length
  while (endOfA > start && endOfB > start && as[endOfA - 1] === bs[endOfB - 1]) {
    endOfA--
    endOfB--
  }
  const pieces = Math.ceil(Math.max(endOfA - start, endOfB - start) / pieceMax)
  let distance = 0
  for (let i = 0; i < pieces; i++) {
    const cut = (end: number, at: number) => start + Math.round(((end - start) * at) / pieces)
    distance += editDistance(as.slice(cut(endOfA, i), cut(endOfA, i + 1)), bs.slice(cut(endOfB, i), cut(endOfB, i + 1)))
  }
  return 1 - distance / longer
}

const codePoint = (character: string) => character.codePointAt(0)!

/** Levenshtein distance by bit vectors, 32 rows of the matrix at a time (Myers 1999, with Hyyrö's blocks, 2003). */
function editDistance(a: number[], b: number[]): number {
  if (a.length === 0 || b.length === 0) return Math.max(a.length, b.length)
  const blocks = Math.ceil(a.length / 32)
  const positions = new Map<number, Int32Array>()
  for (const [i, symbol] of a.entries()) {
    const bits = positions.getOrInsertComputed(symbol, () => new Int32Array(blocks))
    bits[i >>> 5]! |= 1 << (i & 31)
  }
  const nowhere = new Int32Array(blocks)
  const positive = new Int32Array(blocks).fill(-1)
  const negative = new Int32Array(blocks)
  const last = 1 << ((a.length - 1) & 31)
  let distance = a.length
  for (const symbol of b) {
    const matches = positions.get(symbol) ?? nowhere
    // the matrix's upper edge grows by one with each column
    let carryPositive = 1
    let carryNegative = 0
    for (let block = 0; block < blocks; block++) {
      const pv = positive[block]!
      const mv = negative[block]!
      const eq = matches[block]! | carryNegative
      const xv = matches[block]! | mv
      const xh = ((((eq & pv) >>> 0) + (pv >>> 0)) ^ pv) | eq
      let ph = mv | ~(xh | pv)
      let mh = pv & xh
      if (block === blocks - 1) {
        if (ph & last) distance++
        if (mh & last) distance--
      }
      const outPositive = ph >>> 31
      const outNegative = mh >>> 31
      ph = (ph << 1) | carryPositive
      mh = (mh << 1) | carryNegative
      positive[block] = mh | ~(xv | ph)
      negative[block] = ph & xv
      carryPositive = outPositive
      carryNegative = outNegative
    }
  }
  return distance
}
