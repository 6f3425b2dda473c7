/** An empty bin would make the index infinite. */
const shareMin = 1e-4

/**
 * Population stability index Σ (b−a)·ln(b/a) of two vectors of shares over the same bins, each share at least 1e-4.
 * Under 0.1 is commonly read as stable, over 0.25 as shifted; small samples exceed either by chance.
 */
export function populationStability(a: number[], b: number[]): number {
  let index = 0
  for (let i = 0; i < a.length; i++) {
    const p = Math.max(shareMin, a[i]!)
    const q = Math.max(shareMin, b[i]!)
    index += (q - p) * Math.log(q / p)
  }
  return index
}
