import type { Cluster } from '../../statistics/clustered-mean.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Evidence } from '../evidence/evidence.ts'

/** A metric that is not a mean over observations: its standard error comes from the jackknife. */
export interface Functional {
  name: string
  /**
   * What it is computed from; decides whether the jackknife leaves out groups of buckets, or of cells and histograms.
   */
  from: 'sums' | 'cells' | 'bins'
  /** Set if it compares the time after the first day with that day, which the jackknife then keeps whole. */
  sinceFirstDay?: true
  /** The measures whose sums it, or its `unseen`, is computed from. */
  sums: readonly string[]
  /** Its range of possible values. */
  least: number
  greatest: number
  /** Minimum samples per side for a bound: with few, there is drift by chance alone. */
  samplesMin: number
  estimate(evidence: Evidence): number | null
  /** Set where the estimate moves in steps: a smooth form of it, which the jackknife takes in its place. */
  smooth?(evidence: Evidence): number | null
  /** Number of samples, at a multiple of the present evidence. */
  samples(evidence: Evidence, growth?: number): number
  /**
   * Its range if part of the population was not seen among `n` exchanges, with confidence 1 − alpha. The bound is the
   * wider of this and the jackknife's, which has no width where nothing ever differed. Infinite where nothing is known.
   */
  unseen(evidence: Evidence, estimate: number, seen: { n: number; alpha: number }): Interval
  /**
   * Set if `unseen` assumes that nothing is larger than what was seen; it is then used only if the jackknife has no
   * spread.
   */
  unseenOnlyWithoutSpread?: true
  /**
   * Where classes were merged into others, the metric itself is a minimum, and `most` is the maximum that it can be.
   * `hasOthers` tells whether the two differ.
   */
  most?: Functional
  hasOthers?(evidence: Evidence): boolean
  /**
   * The value of one held-out group, where the other groups determine where to look. Its mean never exceeds the true
   * value, unlike that of the estimate, so the lower bound is no higher than that of this mean.
   */
  heldOut?(evidence: Evidence, withoutGroup: Evidence): Cluster | null
}
