/** An empty bin would make the index infinite. */
const shareMin = 1e-4

/**
 * Population stability index Σ (b−a)·ln(b/a) of two vectors of shares over the same bins, each share at least 1e-4.
 * Under 0.1 is commonly read as stable, over 0.25 as shifted; small samples exceed either by chance.
 */
export function populationStability(a: number[], b: number[]): number {
  return stabilityParts(a, b).reduce((sum, part) => sum + part, 0)
}

/** What each bin adds to the index; never negative. */
export function stabilityParts(a: number[], b: number[]): number[] {
  return a.map((share, i) => {
    const p = Math.max(shareMin, share)
    const q = Math.max(shareMin, b[i]!)
    return (q - p) * Math.log(q / p)
  })
}
