import { gammaln } from 'simple-statistics'

/**
 * Exact two-sided p-value of McNemar's test: the probability that pairs in which only one side is right split this
 * unevenly by chance, 2·P(Binomial(b+c, ½) ≤ min(b, c)), at most 1. Counts must be whole numbers.
 */
export function mcnemarP(onlyFirst: number, onlySecond: number): number {
  const n = onlyFirst + onlySecond
  const k = Math.min(onlyFirst, onlySecond)
  if (2 * k === n) return 1
  let term = Math.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) - n * Math.LN2)
  let tail = 0
  // C(n, i−1) = C(n, i) · i / (n − i + 1); below the middle the terms fall fast, so the sum soon converges
  for (let i = k; i >= 0 && term > tail * Number.EPSILON; i--) {
    tail += term
    term *= i / (n - i + 1)
  }
  return Math.min(1, 2 * tail)
}
