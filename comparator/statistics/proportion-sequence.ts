import { gammaln } from 'simple-statistics'
import { firstIndex } from './first-index.ts'
import type { Interval } from './interval.ts'

/**
 * Time-uniform confidence sequence for the mean of values in [0, 1], by the method of mixtures with Jeffreys' prior
 * Beta(½, ½): all p with B(k+½, n−k+½) / (π · p^k · (1−p)^(n−k)) < 1/alpha (Robbins 1970; for values other than 0 and 1
 * the ratio is still a supermartingale, by convexity). Its width is never zero, not even at k = 0 or k = n. `k` is the
 * sum of the values, 0 ≤ k ≤ n. `null` for n = 0.
 */
export function proportionSequence(k: number, n: number, alpha: number): Interval | null {
  if (!(n > 0 && k >= 0 && k <= n)) return null
  // log of B(k+½, n−k+½)/π
  const mixture = gammaln(k + 0.5) + gammaln(n - k + 0.5) - gammaln(n + 1) - Math.log(Math.PI)
  const isInside = (p: number) => mixture - logLikelihood(k, n, p) < -Math.log(alpha)
  const estimate = k / n
  return { lower: edge(isInside, 0, estimate), upper: edge(isInside, 1, estimate) }
}

/** The smallest and the largest whole k whose sequence contains p, for p in (0, 1). */
export function countsAround(p: number, n: number, alpha: number): { least: number; greatest: number } {
  const ofAll = gammaln(n + 1) + Math.log(Math.PI) - Math.log(alpha)
  const isAround = (k: number) => gammaln(k + 0.5) + gammaln(n - k + 0.5) - logLikelihood(k, n, p) < ofAll
  const expected = Math.round(n * p)
  // a few standard deviations of a binomial count: takes fewer steps than a search from 0 and n
  let reach = Math.ceil(4 * Math.sqrt(n * p * (1 - p))) + 1
  while ((expected > reach && isAround(expected - reach)) || (expected + reach < n && isAround(expected + reach))) {
    reach *= 2
  }
  const from = Math.max(0, expected - reach)
  const to = Math.min(n, expected + reach)
  return {
    least: from + firstIndex(expected - from, (i) => isAround(from + i)),
    greatest: expected + firstIndex(to - expected, (i) => !isAround(expected + 1 + i)),
  }
}

function logLikelihood(k: number, n: number, p: number): number {
  return k * Math.log(p) + (n - k) * Math.log(1 - p)
}

/** The edge of the interval between `outside` and `inside`, to double precision, rounded outwards. */
function edge(isInside: (p: number) => boolean, outside: number, inside: number): number {
  let out = outside
  let within = inside
  for (let step = 0; step < 200; step++) {
    const middle = (out + within) / 2
    if (middle === out || middle === within) break
    if (isInside(middle)) within = middle
    else out = middle
  }
  return out
}
