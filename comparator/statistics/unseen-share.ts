import type { Distribution } from './distribution.ts'
import type { Interval } from './interval.ts'
import { proportionSequence } from './proportion-sequence.ts'
import { quantile } from './quantile.ts'

/**
 * The largest share of a population that may be unlike any of n exchanges, with confidence 1 − alpha however often one
 * looks. It is the upper end of `proportionSequence` for an event that never occurred: the time-uniform form of the
 * "rule of three", 3/n (Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?"). Assumes
 * independent exchanges. 1 for n = 0.
 *
 * The other functions give the range of a statistic if such a share ε of the population was never seen, so that the
 * population is (1−ε)·(what was seen) + ε·(anything): Huber's gross-error model (1964, "Robust estimation of a location
 * parameter").
 */
export function unseenShare(n: number, alpha: number): number {
  return proportionSequence(0, n, alpha)?.upper ?? 1
}

/** A mean, if unseen values lie within `lower` and `upper`. */
export function meanWithUnseen(mean: number, share: number, { lower, upper }: Interval): Interval {
  return { lower: (1 - share) * mean + share * lower, upper: (1 - share) * mean + share * upper }
}

/** The Kolmogorov–Smirnov statistic sup |F−G|, if both distributions have an unseen share. */
export function ksWithUnseen(ks: number, share: number): Interval {
  return { lower: (1 - share) * ks - share, upper: (1 - share) * ks + share }
}

/**
 * The Jensen–Shannon divergence in base 2. The upper end holds because it is jointly convex and at most 1 (Lin 1991).
 * The lower end holds because the divergence is the information that a value carries about its side, and not knowing
 * which values are unseen hides at most their entropy H(ε).
 */
export function jensenShannonWithUnseen(divergence: number, share: number): Interval {
  const entropy = -xlog2(share) - xlog2(1 - share)
  return { lower: (1 - share) * divergence - entropy, upper: (1 - share) * divergence + share }
}

/** A quantile: from a somewhat lower to a somewhat higher quantile of the seen; infinite where it may be unseen. */
export function quantileWithUnseen(seen: Distribution, q: number, share: number): Interval {
  const [before, behind] = [(q - share) / (1 - share), q / (1 - share)]
  return {
    lower: before > 0 ? quantile(seen, before)! : Number.NEGATIVE_INFINITY,
    upper: behind < 1 ? quantile(seen, behind)! : Number.POSITIVE_INFINITY,
  }
}

/**
 * The ratio or difference of two quantiles of the same exchanges, with non-negative values. The unseen share consists
 * of exchanges, so it is the same for both. At worst it pulls the two apart, or together.
 */
export function relationWithUnseen(
  [of, to]: readonly [of: Distribution, to: Distribution],
  q: number,
  by: 'ratio' | 'difference',
  share: number,
): Interval {
  const boundOf = (seen: Distribution): Interval => {
    const { lower, upper } = quantileWithUnseen(seen, q, share)
    return { lower: Math.max(0, lower), upper }
  }
  const [a, b] = [boundOf(of), boundOf(to)]
  return by === 'difference'
    ? { lower: a.lower - b.upper, upper: a.upper - b.lower }
    : { lower: a.lower / b.upper, upper: a.upper / b.lower }
}

function xlog2(x: number): number {
  return x > 0 ? x * Math.log2(x) : 0
}
