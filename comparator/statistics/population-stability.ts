import type { Interval } from './interval.ts'

/** A floor, since an empty bin would make the index infinite. */
const shareMin = 1e-4

/**
 * Population stability index Σ (b−a)·ln(b/a) of two vectors of shares over the same bins, each share at least 1e-4: the
 * symmetric divergence of Jeffreys (1946, "An invariant form for the prior probability in estimation problems") over
 * bins. Under 0.1 is commonly read as stable, over 0.25 as shifted (Lewis 1994, "An Introduction to Credit Scoring");
 * small samples exceed either by chance (Yurdakul and Naranjo 2020, "Statistical properties of the population stability
 * index").
 */
export function populationStability(a: number[], b: number[]): number {
  return stabilityParts(a, b).reduce((sum, part) => sum + part, 0)
}

/** The contribution of each bin to the index; never negative. */
export function stabilityParts(a: number[], b: number[]): number[] {
  return a.map((share, i) => partOf(share, b[i]!))
}

function partOf(a: number, b: number): number {
  const p = Math.max(shareMin, a)
  const q = Math.max(shareMin, b)
  return (q - p) * Math.log(q / p)
}

/**
 * How much greater the index may be over finer bins. `hidden` is the sum of both sides' shares in bins that merge
 * several finer ones, without what the two have in common there: that part cancels in the difference of shares. The
 * ratio of shares is at most 1 to `shareMin`.
 */
export function stabilityOfFiner(hidden: number): number {
  return hidden * Math.log(1 / shareMin)
}

/**
 * The range of the index over the same bins if a share of either side was never seen (`unseen-share.ts`). The upper end
 * puts all of it in the bin of each side where it adds most: the parts are convex, and what both sides together add to
 * one bin is at most the sum of what each would add alone. The lower end lets it fill the gap of every bin at once,
 * which is more than it can.
 */
export function stabilityWithUnseen(a: number[], b: number[], share: number): Interval {
  let lower = 0
  let seen = 0
  let mostOfA = 0
  let mostOfB = 0
  for (let i = 0; i < a.length; i++) {
    const [p, q] = [(1 - share) * a[i]!, (1 - share) * b[i]!]
    const part = partOf(p, q)
    seen += part
    mostOfA = Math.max(mostOfA, partOf(p + share, q) - part)
    mostOfB = Math.max(mostOfB, partOf(p, q + share) - part)
    const [low, high] = p < q ? [p, q] : [q, p]
    if (low + share < high) lower += partOf(low + share, high)
  }
  return { lower, upper: seen + mostOfA + mostOfB }
}
