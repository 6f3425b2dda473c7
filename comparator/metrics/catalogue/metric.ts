import type { Functional } from './functional.ts'
import type { QuantileMetric } from './quantile-metrics.ts'
import type { UnseenSize } from './unseen-size.ts'

/** How a metric is estimated and bounded. */
export type Metric =
  /**
   * Σsum/Σn of a measure. `support` is the range of each value; `size` limits unseen values, as far as that is known.
   */
  | { kind: 'mean'; measure: string; support: Support; size?: UnseenSize }
  /** For a measure that is a difference of −1, 0 or 1: the share of 1 among the values other than 0. */
  | { kind: 'wins'; measure: string }
  /** The square root of a mean. */
  | { kind: 'rootMean'; measure: string; size: UnseenSize }
  /** The greatest value of a measure. */
  | { kind: 'maximum'; measure: string }
  | ({ kind: 'quantile' } & QuantileMetric)
  | ({ kind: 'functional' } & Functional)
  /** Known exactly, from the exchanges. */
  | { kind: 'coverage' | 'samples' }
  /**
   * Known exactly: the share of exchanges counted by `compared` that `labelled` counts too; rows count as fractions.
   */
  | { kind: 'labelCoverage'; compared: string; labelled: string }

/**
 * `share`: [0, 1]. `cosine`: [−1, 1]. `cosineDistance`: [0, 2]. `paired`: −1, 0 or 1, the difference of two paired
 * shares.
 */
export type Support = 'real' | 'nonNegative' | 'share' | 'cosine' | 'cosineDistance' | 'paired'
