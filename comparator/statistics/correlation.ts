/** Means over pairs (p, c), with d = c − p. */
export interface PairMeans {
  p: number
  c: number
  pp: number
  cc: number
  dd: number
}

/** A variance this small against its mean square is rounding: the values are constant as far as doubles can tell. */
const roundingMax = 1e-12

/** Pearson's r; the covariance is (var p + var c − var d) / 2. `null` where a side is constant. */
export function pearson(means: PairMeans): number | null {
  const spread = variancesOf(means)
  if (spread === null) return null
  const bias = means.c - means.p
  const covariance = (spread.p + spread.c - (means.dd - bias * bias)) / 2
  return Math.min(1, Math.max(-1, covariance / Math.sqrt(spread.p * spread.c)))
}

/**
 * Lin's concordance correlation (1989), 2·cov / (var p + var c + (mean p − mean c)²), which is
 * 1 − mean d² / (that denominator). `null` where a side is constant.
 */
export function concordance(means: PairMeans): number | null {
  const spread = variancesOf(means)
  if (spread === null) return null
  return 1 - means.dd / (spread.p + spread.c + (means.c - means.p) ** 2)
}

function variancesOf({ p, c, pp, cc }: PairMeans): { p: number; c: number } | null {
  const ofP = pp - p * p
  const ofC = cc - c * c
  return ofP > roundingMax * pp && ofC > roundingMax * cc ? { p: ofP, c: ofC } : null
}
