import type { Interval } from './interval.ts'

/** Means over pairs (p, c), with d = c − p. */
export interface PairMeans {
  p: number
  c: number
  pp: number
  cc: number
  dd: number
}

/**
 * A variance this small relative to its mean square is a rounding error: as far as doubles can tell, the values are
 * constant. A variance from Σx² and (Σx)² over N values has a relative error of up to N·u·(mean square ÷ variance),
 * with u = 1.1e-16 (Chan, Golub and LeVeque 1983, "Algorithms for computing the sample variance"). At this ratio no
 * digit is certain from about ten thousand values on.
 */
export const roundingMax = 1e-12

/** Pearson's r (1895); the covariance is (var p + var c − var d) / 2. `null` where a side is constant. */
export function pearson(means: PairMeans): number | null {
  const spread = variancesOf(means)
  if (spread === null) return null
  const bias = means.c - means.p
  const covariance = (spread.p + spread.c - (means.dd - bias * bias)) / 2
  return Math.min(1, Math.max(-1, covariance / Math.sqrt(spread.p * spread.c)))
}

/**
 * Lin's concordance correlation (1989, "A concordance correlation coefficient to evaluate reproducibility"), 2·cov /
 * (var p + var c + (mean p − mean c)²), which is 1 − mean d² / (that denominator). `null` where a side is constant.
 */
export function concordance(means: PairMeans): number | null {
  const spread = variancesOf(means)
  if (spread === null) return null
  return 1 - means.dd / (spread.p + spread.c + (means.c - means.p) ** 2)
}

/**
 * The ranges of both if a share ε of the pairs was never seen (`unseen-share.ts`) and no two values are further apart
 * than D = √`distanceSq`. Ccc ≥ 1 − ((1−ε)·mean d² + ε·D²) / ((1−ε)²·its denominator), where the denominator is the
 * mean square of differences between any two pairs' sides. Unseen pairs lie within (1+|a|)·D of the seen line with
 * slope a, so 1 − r² ≤ 1 − r₀² + ε·(1+|a|)²·D² / ((1−ε)·var c). `null` where a side is constant.
 */
export function correlationsWithUnseen(
  means: PairMeans,
  share: number,
  distanceSq: number,
): { pearson: Interval; ccc: Interval } | null {
  const spread = variancesOf(means)
  const r = pearson(means)
  if (spread === null || r === null) return null
  const apart = (1 - share) * means.dd + share * distanceSq
  const denominator = (1 - share) ** 2 * (spread.p + spread.c + (means.c - means.p) ** 2)
  const slope = r * Math.sqrt(spread.c / spread.p)
  const unexplained = 1 - r * r + (share * (1 + Math.abs(slope)) ** 2 * distanceSq) / ((1 - share) * spread.c)
  const least = unexplained < 1 ? Math.sqrt(1 - unexplained) : -1
  return {
    pearson: r < 0 ? { lower: -1, upper: -least } : { lower: least, upper: 1 },
    ccc: { lower: 1 - apart / denominator, upper: 1 },
  }
}

function variancesOf({ p, c, pp, cc }: PairMeans): { p: number; c: number } | null {
  const ofP = pp - p * p
  const ofC = cc - c * c
  return ofP > roundingMax * pp && ofC > roundingMax * cc ? { p: ofP, c: ofC } : null
}
