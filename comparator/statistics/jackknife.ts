import type { Deviation } from './long-run-error.ts'

/**
 * Standard error of a statistic by leaving out one group at a time, √((J−1)/J · Σ(θ₍ⱼ₎ − θ̄)²) (Efron and Stein 1981),
 * and the deviations of Tukey's pseudo-values, (J−1)(θ̄ − θ₍ⱼ₎), in the groups' order. `leftOut[j]` is the statistic
 * without group j. `null` for fewer than two groups, or where one is `null` or not finite.
 */
export function jackknife(leftOut: (number | null)[]): { standardError: number; deviations: Deviation[] } | null {
  const groups = leftOut.length
  if (groups < 2) return null
  let sum = 0
  for (const value of leftOut) {
    if (value === null || !Number.isFinite(value)) return null
    sum += value
  }
  const mean = sum / groups
  const deviations = leftOut.map((value) => ({ deviation: (groups - 1) * (mean - value!), weight: 1 }))
  let squares = 0
  for (const value of leftOut) squares += (value! - mean) ** 2
  return { standardError: Math.sqrt(((groups - 1) / groups) * squares), deviations }
}
