/**
 * Radius of the asymptotic confidence sequence for a mean of `t` units of standard deviation `sd`. It is valid at every
 * t at once with confidence 1 − alpha, so that looking often costs nothing, and narrowest near t = tOpt. (Waudby-Smith,
 * Arbour, Sinha, Kennedy, Ramdas: "Time-uniform central limit theory and asymptotic confidence sequences".)
 */
export function confidenceSequenceRadius(t: number, sd: number, alpha: number, tOpt: number): number {
  const doubled = -2 * Math.log(alpha)
  const rho2 = (doubled + Math.log(doubled + 1)) / tOpt
  const scale = t * rho2 + 1
  return sd * Math.sqrt(((2 * scale) / (t * t * rho2)) * Math.log(Math.sqrt(scale) / alpha))
}
