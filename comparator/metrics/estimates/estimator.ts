import { type Bounded, noEdges } from '../../../vocabulary/bounded.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { clusteredMean } from '../../statistics/clustered-mean.ts'
import { jackknife } from '../../statistics/jackknife.ts'
import { catalogueOf } from '../catalogue/catalogue.ts'
import type { Metric } from '../catalogue/metric.ts'
import type { LimitOnQuantile } from '../catalogue/quantile-limits.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Exchanges } from '../evidence/exchanges.ts'
import type { RollupRange } from '../rollup-range.ts'
import { type Basis, basisOf, boundOf, projectionOf } from './bound-metric.ts'
import { estimateOf } from './point-estimate.ts'
import { clustersOf, correlationOf, type Projection } from './projection.ts'
import { related } from './relate-metrics.ts'

/** Estimates and bounds any metric over one range of rollups. What several metrics share is computed once. */
export interface Estimator {
  evidence: Evidence
  /** Number of non-empty buckets. */
  buckets: number
  /** The value only; `null` where there is no evidence. Throws a `RangeError` for a name outside the catalogue. */
  estimate(name: string): Pick<Bounded, 'estimate' | 'n'>
  /** The value with its bound. */
  bound(name: string): Bounded
  /** The share of values beyond a limit on a quantile, with its bound. */
  shareBeyond(limit: LimitOnQuantile): Bounded
  /** The bound of `bound` as a function of the amount of evidence; `null` where it does not narrow. */
  project(name: string): Projection | null
  /** The ratio or difference of two metrics over the same exchanges, with its bound. */
  relate(name: string, other: string, by: 'ratio' | 'difference'): Bounded & { projection: Projection | null }
  projectShareBeyond(limit: LimitOnQuantile): Projection | null
  /** The correlation of neighbouring buckets, or groups of buckets, in about [−1, 1]; `null` where unknown. */
  correlation(name: string): number | null
  correlationBeyond(limit: LimitOnQuantile): number | null
  /** Why more evidence cannot decide a metric: the first day gets no more, or classes were merged into others. */
  stuckBy(name: string): 'firstDay' | 'others' | null
}

export function estimatorOf(policy: Policy, range: RollupRange, exchanges: Exchanges): Estimator {
  const basis = basisOf(policy, range, exchanges)
  const { evidence } = basis
  const metricOf = (name: string) => {
    const metric = catalogueOf(policy).get(name)
    if (metric === undefined) throw new RangeError(`${name} is no metric of a ${policy.output.kind} output`)
    return metric
  }
  const bounded = (metric: Metric): Bounded => {
    const value = estimateOf(metric, evidence, exchanges)
    return { ...value, ...(value.estimate === null ? noEdges : (boundOf(metric, value.estimate, basis) ?? noEdges)) }
  }
  const projected = (metric: Metric) => {
    const { estimate } = estimateOf(metric, evidence, exchanges)
    return estimate === null ? null : projectionOf(metric, estimate, basis)
  }
  const beyond = ({ measure }: LimitOnQuantile): Metric => ({ kind: 'mean', measure, support: 'share' })
  return {
    evidence,
    buckets: range.buckets.length,
    estimate: (name) => estimateOf(metricOf(name), evidence, exchanges),
    bound: (name) => bounded(metricOf(name)),
    shareBeyond: (limit) => bounded(beyond(limit)),
    relate: (name, other, by) => related(metricOf(name), metricOf(other), by, basis),
    project: (name) => projected(metricOf(name)),
    projectShareBeyond: (limit) => projected(beyond(limit)),
    correlation: (name) => correlationIn(metricOf(name), basis),
    correlationBeyond: (limit) => correlationIn(beyond(limit), basis),
    stuckBy: (name) => {
      const metric = metricOf(name)
      if (metric.kind !== 'functional') return null
      return metric.hasOthers?.(evidence) ? 'others' : metric.sinceFirstDay ? 'firstDay' : null
    },
  }
}

function correlationIn(metric: Metric, basis: Basis): number | null {
  if (metric.kind === 'functional') {
    const estimate = metric.estimate(basis.evidence)
    return estimate === null ? null : correlationOf(jackknife(basis.leftOut(metric)), estimate)
  }
  if (metric.kind !== 'mean' && metric.kind !== 'rootMean') return null
  const found = clusteredMean(clustersOf(basis.range, metric.measure))
  return found && correlationOf(found, found.mean)
}
