import { noEdges } from '../../../vocabulary/bounded.ts'
import { hull } from '../../statistics/interval.ts'
import { quantileOfBins, smoothQuantile } from '../../statistics/quantile.ts'
import { relationWithUnseen, unseenShare } from '../../statistics/unseen-share.ts'
import type { Metric } from '../catalogue/metric.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { type Basis, hasFewSamples, piecesOf } from './bound-metric.ts'
import { finite } from './finite.ts'
import { estimateOf } from './point-estimate.ts'
import { clustersMin, type Projection, projectByJackknife } from './projection.ts'

/** The ratio a/b, or the difference a − b; `null` for a ratio to 0. */
export function relationOf(a: number | null, b: number | null, by: 'ratio' | 'difference'): number | null {
  if (a === null || b === null) return null
  return finite(by === 'difference' ? a - b : b > 0 ? a / b : null)
}

/** Whether a metric is computed from groups of buckets, rather than from each bucket's sums. */
export const isFromGroups = (metric: Metric) =>
  metric.kind === 'quantile' || (metric.kind === 'functional' && metric.from !== 'sums')

/**
 * Relates two metrics by a jackknife over both at once, so that what moves both, such as a busy hour, does not widen
 * the bound. For quantiles the bound also allows for an unseen share (`unseen-share.ts`), as that of `latency.ratio`
 * does: with few values beyond a quantile a jackknife knows too little, so p99 has no upper end below 680 exchanges at
 * 95 %.
 */
export function related(a: Metric, b: Metric, by: 'ratio' | 'difference', basis: Basis) {
  const { range, evidence, exchanges, confidence, withoutEach } = basis
  const relationIn = (rest: Evidence, quantileIn = smoothQuantile) => {
    const quantityOf = (metric: Metric) =>
      metric.kind === 'quantile'
        ? quantileIn(rest.distributionOf(metric.values), metric.q)
        : estimateOf(metric, rest, exchanges).estimate
    return relationOf(quantityOf(a), quantityOf(b), by)
  }
  const estimate = relationIn(evidence, quantileOfBins)
  const { n } = estimateOf(a, evidence, exchanges)
  const groups = (isFromGroups(a) ? range.groups : range.buckets).length
  const isTooFew = groups < clustersMin || hasFewSamples(a, evidence) || hasFewSamples(b, evidence)
  if (estimate === null || isTooFew) return { estimate, n, ...noEdges, projection: null }
  const { sums, group } = withoutEach
  const pieces = a.kind === 'functional' ? piecesOf(a, withoutEach) : isFromGroups(a) ? group() : sums()
  const leftOut = pieces.map((rest) => relationIn(rest))
  const jackknifed = projectByJackknife(relationIn(evidence) ?? Number.NaN, leftOut, confidence.groups)
  const projection: Projection = (growth) => {
    const bound = jackknifed(growth)
    if (bound === null || a.kind !== 'quantile' || b.kind !== 'quantile') return bound
    const distributions = [evidence.distributionOf(a.values), evidence.distributionOf(b.values)] as const
    return hull(bound, relationWithUnseen(distributions, a.q, by, unseenShare(n * growth, confidence.groups.alpha)))
  }
  const bound = projection(1)
  return { estimate, n, lower: finite(bound?.lower ?? null), upper: finite(bound?.upper ?? null), projection }
}
