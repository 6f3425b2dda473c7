import type { Cluster } from './clustered-mean.ts'
import type { Distribution } from './distribution.ts'
import type { DistributionDistances } from './distribution-distances.ts'

type Samples = [a: Distribution, b: Distribution]

/**
 * What a part of two samples shows of their distances where the rest, without it, says where to look: for `ks` the
 * part's gap F−G at the place where the rest's is widest, with its sign; for `wasserstein` ∫(F−G) of the part with the
 * sign of the rest's. A distance is the greatest of all values that are found so (Kantorovich's dual), hence their mean
 * over independent parts is never above the true one, whereas that of ∫|F−G| of samples always is: chance alone keeps
 * them apart. Gaps are linear, so the part's follows from the whole's and the rest's, and is weighed by what it has of
 * the second sample. `null` where the part or the rest is empty.
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

/** F(x) − G(x), to be asked for in ascending order. */
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
