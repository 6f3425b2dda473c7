import type { Cluster } from './clustered-mean.ts'
import type { Distribution } from './distribution.ts'
import type { DistributionDistances } from './distribution-distances.ts'

type Samples = [a: Distribution, b: Distribution]

/**
 * Estimates the distances of two samples from a part of them, where the rest determines where to look. For `ks` this is
 * the part's gap F−G at the place where the rest's gap is widest, with the rest's sign; for `wasserstein` it is ∫(F−G)
 * of the part with the sign of the rest's gap. A distance is the maximum over all such choices (Kantorovich's dual), so
 * their mean over independent parts never exceeds the true distance. The mean of ∫|F−G| of samples always does: they
 * differ by chance alone. Gaps are linear, so the part's gap follows from those of the whole and the rest. It is
 * weighted by the part's share of the second sample. `null` where the part or the rest is empty.
 */
export function heldOutDistances(whole: Samples, rest: Samples): Record<keyof DistributionDistances, Cluster> | null {
  const [of, kept] = [whole[1].total, rest[1].total]
  if (rest[0].total === 0 || kept === 0 || kept === of) return null
  const n = of - kept
  const places = Float64Array.from([...whole[0].values, ...whole[1].values]).sort()
  const [gapOfWhole, gapOfRest] = [gapAlong(whole), gapAlong(rest)]
  let [widest, ks, wasserstein] = [0, 0, 0]
  places.forEach((x, i) => {
    const gap = gapOfRest(x)
    const ofPart = Math.sign(gap) * (of * gapOfWhole(x) - kept * gap)
    wasserstein += ofPart * ((places[i + 1] ?? x) - x)
    if (Math.abs(gap) <= widest) return
    widest = Math.abs(gap)
    ks = ofPart
  })
  return { ks: { n, sum: ks }, wasserstein: { n, sum: wasserstein } }
}

/** F(x) − G(x); must be called with ascending x. */
function gapAlong([a, b]: Samples): (x: number) => number {
  const [shareOfA, shareOfB] = [shareAlong(a), shareAlong(b)]
  return (x) => shareOfA(x) - shareOfB(x)
}

function shareAlong({ values, upTo, total }: Distribution): (x: number) => number {
  let passed = 0
  return (x) => {
    while (passed < values.length && values[passed]! <= x) passed++
    return passed === 0 ? 0 : upTo[passed - 1]! / total
  }
}
