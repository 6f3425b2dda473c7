import type { Distribution } from './distribution.ts'
import { type Interval, proportionSequence } from './proportion-sequence.ts'
import { quantile } from './quantile.ts'

/**
 * The greatest share of a population that may be unlike anything among n exchanges, with confidence 1 − alpha however
 * often one looks: what `proportionSequence` leaves of an event that never came; the time-uniform form of the "rule of
 * three", 3/n (Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?"). Takes exchanges as
 * independent. 1 for n = 0.
 *
 * The other functions say where a statistic may lie if such a share ε of the population was never seen, so that the
 * population is (1−ε)·(what was seen) + ε·(anything): Huber's gross-error model (1964, "Robust estimation of a
 * location parameter").
 */
export function unseenShare(n: number, alpha: number): number {
  return proportionSequence(0, n, alpha)?.upper ?? 1
}

/** A mean of values of which the unseen lie within `least` and `greatest`. */
export function meanWithUnseen(mean: number, share: number, { lower, upper }: Interval): Interval {
  return { lower: (1 - share) * mean + share * lower, upper: (1 - share) * mean + share * upper }
}

/** Of sup |F−G|, in which both distributions have unseen shares. */
export function ksWithUnseen(ks: number, share: number): Interval {
  return { lower: (1 - share) * ks - share, upper: (1 - share) * ks + share }
}

/**
 * Of the Jensen–Shannon divergence in base 2: above since it is jointly convex and at most 1 (Lin 1991); below since it
 * is the information that a value has of which side it came from, of which not knowing what is unseen can hide at most
 * its entropy H(ε).
 */
export function jensenShannonWithUnseen(divergence: number, share: number): Interval {
  const entropy = -xlog2(share) - xlog2(1 - share)
  return { lower: (1 - share) * divergence - entropy, upper: (1 - share) * divergence + share }
}

/** Of a quantile: the seen one somewhat before it to that somewhat behind; infinite where the unseen may be it. */
export function quantileWithUnseen(seen: Distribution, q: number, share: number): Interval {
  const [before, behind] = [(q - share) / (1 - share), q / (1 - share)]
  return {
    lower: before > 0 ? quantile(seen, before)! : Number.NEGATIVE_INFINITY,
    upper: behind < 1 ? quantile(seen, behind)! : Number.POSITIVE_INFINITY,
  }
}

/**
 * Of the ratio of two quantiles of the same exchanges, or of their difference; values are never negative. One share is
 * unseen of both, since it is of exchanges: at worst it pulls the two apart, or together.
 */
export function relationWithUnseen(
  of: Distribution,
  to: Distribution,
  q: number,
  by: 'ratio' | 'difference',
  share: number,
): Interval {
  const [a, b] = [of, to].map((seen) => {
    const { lower, upper } = quantileWithUnseen(seen, q, share)
    return { lower: Math.max(0, lower), upper }
  }) as [Interval, Interval]
  return by === 'difference'
    ? { lower: a.lower - b.upper, upper: a.upper - b.lower }
    : { lower: a.lower / b.upper, upper: a.upper / b.lower }
}

function xlog2(x: number): number {
  return x > 0 ? x * Math.log2(x) : 0
}
