import { type Bounded, type Edges, noEdges } from '../../../vocabulary/bounded.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { catalogueOf } from '../catalogue/catalogue.ts'
import type { Metric } from '../catalogue/metric.ts'
import { distributionBehind } from '../catalogue/quantile-metrics.ts'
import { unseenSizeOf } from '../catalogue/unseen-size.ts'
import { estimatorOf } from '../estimates/estimator.ts'
import { finite } from '../estimates/finite.ts'
import { boundOfFewBuckets } from '../estimates/mean-bound.ts'
import { clustersMin } from '../estimates/projection.ts'
import { boundOfQuantileOfFew } from '../estimates/quantile-bound.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { type Exchanges, exchangesOf } from '../evidence/exchanges.ts'
import type { RollupRange } from '../rollup-range.ts'

/** The bound of every metric, by flat name. */
export function boundsOf(policy: Policy, range: RollupRange, exchanges?: Exchanges): Record<string, Bounded> {
  const { bound } = estimatorOf(policy, range, exchanges ?? exchangesOf(range, []))
  return Object.fromEntries([...catalogueOf(policy).keys()].map((name) => [name, bound(name)]))
}

/**
 * The bounds of one step of a chart, by flat metric name. If a step has too few buckets, or groups of histograms, for a
 * bound, those of its means and quantiles take exchanges as independent. They describe the step; the gate never uses
 * them.
 */
export function stepBoundsOf(policy: Policy, range: RollupRange): Record<string, Edges> {
  const estimator = estimatorOf(policy, range, exchangesOf(range, []))
  const alpha = 1 - policy.confidence
  const boundOf = (name: string, metric: Metric): Edges | undefined => {
    const units = metric.kind === 'quantile' ? range.groups : range.buckets
    if (units.length >= clustersMin) return estimator.bound(name)
    return boundOfFew(metric, estimator.evidence, alpha)
  }
  return Object.fromEntries(
    [...catalogueOf(policy)].flatMap(([name, metric]) => {
      const bound = boundOf(name, metric)
      return bound === undefined ? [] : [[name, bound]]
    }),
  )
}

function boundOfFew(metric: Metric, evidence: Evidence, alpha: number): Edges | undefined {
  if (metric.kind === 'quantile') return boundOfQuantileOfFew(distributionBehind(metric, evidence), metric.q, alpha)
  if (metric.kind !== 'mean') return undefined
  const total = evidence.sums.get(metric.measure)
  const size = metric.size && unseenSizeOf(metric.size, evidence.sums)
  const bound = total && boundOfFewBuckets(total, metric.support, alpha, size)
  return bound ? { lower: finite(bound.lower), upper: finite(bound.upper) } : noEdges
}
