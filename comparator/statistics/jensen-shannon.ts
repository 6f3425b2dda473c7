/** Rounding can leave scores slightly below zero; anything lower is not a weight. */
const roundingMax = 1e-9

/**
 * Jensen–Shannon divergence in base 2, in [0, 1], of two vectors of weights of equal length, each normalised to sum 1:
 * (KL(a‖m) + KL(b‖m)) / 2 with m = (a + b) / 2 (Lin 1991, "Divergence measures based on the Shannon entropy"). `null`
 * if `a` is not a distribution: it has a negative weight, as raw logits do, or no positive one. The maximum, 1, if only
 * `b` is not.
 */
export function jensenShannon(a: number[], b: number[]): number | null {
  const sumOfA = weightOf(a)
  if (sumOfA === null) return null
  const sumOfB = weightOf(b)
  if (sumOfB === null) return 1
  let divergence = 0
  for (let i = 0; i < a.length; i++) {
    const p = Math.max(0, a[i]! / sumOfA)
    const q = Math.max(0, b[i]! / sumOfB)
    const m = (p + q) / 2
    if (p > 0) divergence += p * Math.log2(p / m)
    if (q > 0) divergence += q * Math.log2(q / m)
  }
  return Math.min(1, Math.max(0, divergence / 2))
}

/**
 * How much greater the divergence may be over finer bins. `hidden` is the sum of both sides' shares in bins that merge
 * several finer ones, without what the two have in common there. The common part adds nothing, as the divergence is
 * jointly convex (Lin 1991), and the rest of each side at most half of its share.
 */
export function jensenShannonOfFiner(hidden: number): number {
  return hidden / 2
}

function weightOf(weights: number[]): number | null {
  let sum = 0
  for (const weight of weights) {
    if (!(weight >= -roundingMax)) return null
    sum += Math.max(0, weight)
  }
  return sum > 0 && Number.isFinite(sum) ? sum : null
}
