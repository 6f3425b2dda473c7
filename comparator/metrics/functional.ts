import type { Cluster } from '../statistics/clustered-mean.ts'
import type { Interval } from '../statistics/proportion-sequence.ts'
import type { Evidence } from './evidence.ts'

/** A metric that is no mean of observations: its standard error comes from the jackknife. */
export interface Functional {
  name: string
  /** What it is computed from, hence whether the jackknife leaves out groups of buckets, or of cells and histograms. */
  from: 'sums' | 'cells' | 'bins'
  /** It compares what came after the first day with that day, which the jackknife leaves as it is. */
  sinceFirstDay?: true
  /** The measures whose sums it is computed from, or its `unseen`. */
  sums: readonly string[]
  /** Where it can lie. */
  least: number
  greatest: number
  /** Fewer samples a side have no bound: with few, chance alone drifts. */
  samplesMin: number
  estimate(evidence: Evidence): number | null
  /** How many there are, or would be with so many times the evidence. */
  samples(evidence: Evidence, growth?: number): number
  /**
   * Where it may lie for what `n` exchanges have not shown, with confidence 1 − alpha: the bound is the wider of this and
   * the jackknife's, which has no width where nothing ever differed. Infinite where nothing tells.
   */
  unseen(evidence: Evidence, estimate: number, seen: { n: number; alpha: number }): Interval
  /** It takes the greatest size of anything seen for granted, so a jackknife that shows a spread stands alone. */
  unseenOnlyWithoutSpread?: true
  /**
   * The same, but as much as it can be where classes were given up for one, of which it then says how much it is at
   * least; `hasOthers`: whether the two differ.
   */
  most?: Functional
  hasOthers?(evidence: Evidence): boolean
  /**
   * What one group shows of it by itself, found with the others' help. Its mean is never over the truth, where the
   * estimate's is: the lower bound is also no more than that mean's.
   */
  heldOut?(evidence: Evidence, withoutGroup: Evidence): Cluster | null
}
