import type { CheckResult } from '../../vocabulary/api/gate.ts'
import { type Bounded, type Edges, noEdges } from '../../vocabulary/bounded.ts'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { catalogueOf } from '../metrics/catalogue/catalogue.ts'
import { limitOnQuantile, quantileMetricOf } from '../metrics/catalogue/quantile-limits.ts'
import type { QuantileMetric } from '../metrics/catalogue/quantile-metrics.ts'
import type { Estimator } from '../metrics/estimates/estimator.ts'
import { clustersMin } from '../metrics/estimates/projection.ts'
import { failuresBehind, spellFailures } from './failures-behind.ts'
import { forecastVerdict, noBound, noOutlook, type Pace } from './forecast.ts'
import { allOf, type Judged, judgeBound, type Limit } from './judge.ts'
import {
  spellCount,
  spellCounted,
  spellExact,
  spellExactPercent,
  spellLimit,
  spellNumber,
  spellPercent,
  unitOf,
} from './spell-number.ts'

/** Judges one of the policy's checks by its metric's bound. */
export function judgeMetric(check: GateCheck, policy: Policy, estimator: Estimator, pace: Pace): Judged {
  const quantile = quantileMetricOf(check.metric, policy)
  const limit = limitOf(check)
  const { bound, bounds, verdict, verdictAt, arithmetic } =
    quantile === null
      ? judgeByBound(check.metric, limit, policy, estimator)
      : judgeByShare(quantile, limit, policy, estimator)
  const { estimate, lower, upper, n } = bound
  const { metric, reportOnly } = check
  const unforeseen = verdict === 'inconclusive' ? noBound : noOutlook
  const evidence = { n, bounds, pace, stuck: estimator.stuckBy(metric) }
  const { words, ...outlook } = verdictAt === null ? unforeseen : forecastVerdict(verdictAt, evidence)
  const { correlation, warning } = warnOf(correlationBehind(check.metric, quantile, limit, estimator), policy)
  const failures = verdict === 'pass' ? null : failuresBehind(metric, bound, policy, estimator)
  const why = failures === null ? '' : spellFailures(failures)
  const text = [`${arithmetic} → ${verdict}`, why, words, warning].filter((part) => part !== '').join('; ')
  const sides = sidesOf(metric, policy, estimator)
  return {
    result: {
      metric,
      estimate,
      lower,
      upper,
      limit,
      ...(sides && { sides }),
      n,
      verdict,
      ...outlook,
      ...(correlation !== null && { correlation }),
      ...(failures && { failures }),
      reportOnly,
      text,
    },
    reason: [shortReason(metric, bound, limit, verdict), why].filter((part) => part !== '').join('; '),
  }
}

/** Above this, simulation shows bounds to be wrong more often than their confidence says (docs/STATISTICS.md). */
const correlationMax = 0.8

function correlationBehind(metric: string, quantile: QuantileMetric | null, limit: Limit, estimator: Estimator) {
  if (quantile === null) return estimator.correlation(metric)
  const [side, at] = limit.max === undefined ? (['under', limit.min!] as const) : (['over', limit.max] as const)
  return estimator.correlationBeyond(limitOnQuantile(quantile, side, at))
}

function warnOf(found: number | null, { confidence }: Policy): { correlation: number | null; warning: string } {
  if (found === null || found <= correlationMax) return { correlation: null, warning: '' }
  const correlation = Math.min(1, Number(found.toFixed(2)))
  const often = spellPercent(Number((1 - confidence).toFixed(9)))
  return {
    correlation,
    warning: `neighbouring buckets are correlated (${correlation}): above ${correlationMax} a bound is wrong more often than ${often}; use a longer window`,
  }
}

interface Judgement {
  bound: Bounded
  /** The bounds that the verdict follows from, one for each limit. */
  bounds: Bounded[]
  verdict: Verdict
  /** The verdict at a multiple of the present evidence; `null` where that is unknown. */
  verdictAt: ((growth: number) => Verdict) | null
  arithmetic: string
}

function judgeByBound(metric: string, limit: Limit, policy: Policy, estimator: Estimator): Judgement {
  const bound = estimator.bound(metric)
  const isMaximum = catalogueOf(policy).get(metric)?.kind === 'maximum'
  const verdict = judgeBound(isMaximum ? { ...bound, upper: bound.estimate } : bound, limit)
  const spell = (value: number) => spellNumber(value, limit) + unitOf(metric)
  const parts = [
    bound.estimate === null ? `${metric} is unknown` : `${metric} ${spell(bound.estimate)}`,
    isMaximum ? 'the largest seen in the window, with no bound beyond it,' : spellBound(bound, policy, spell),
    `over ${spellCounted(bound.n, 'exchange')} in ${spellCounted(estimator.buckets, 'bucket')}`,
  ]
  const arithmetic = `${parts[0]}, ${parts[1]} ${parts[2]}; limit ${spellLimit(limit, unitOf(metric))}: ${because(bound, verdict, estimator)}`
  const projection = estimator.project(metric)
  const verdictAt = projection && projectedVerdict(bound.estimate, projection, limit)
  return { bound, bounds: [bound], verdict, verdictAt, arithmetic }
}

/** A check's verdict at a multiple of the present evidence, if the estimate stays the same. */
export function projectedVerdict(estimate: number | null, projection: (growth: number) => Edges | null, limit: Limit) {
  return (growth: number): Verdict => judgeBound({ estimate, ...(projection(growth) ?? noEdges) }, limit)
}

/**
 * Judges a limit on a quantile as a limit on a share: p99 ≤ 250 says that at most 1 % are above 250. The share is
 * counted exactly and has the bound of a mean; the quantile and its bound, in the metric's unit, are for the reader.
 */
function judgeByShare(quantile: QuantileMetric, limit: Limit, policy: Policy, estimator: Estimator): Judgement {
  const sides = sharesBeyond(quantile, limit, estimator)
  const unit = unitOf(quantile.name)
  const sentences = sides.map(({ side, at, allowed, share, verdict }) => {
    const spellShare = (value: number) => spellPercent(value, { max: allowed })
    const counted =
      share.estimate === null
        ? `no exchange to count ${side} ${spellExact(at)}${unit}`
        : `${spellShare(share.estimate)} of ${spellCount(share.n)} exchanges were ${side} ${spellExact(at)}${unit}`
    return `${counted}, ${spellBound(share, policy, spellShare)}; allowed ${spellPercent(allowed)}: ${because(share, verdict, estimator)}`
  })
  const bound = estimator.bound(quantile.name)
  const known =
    bound.estimate === null
      ? `${quantile.name} is unknown`
      : `${quantile.name} ${spellNumber(bound.estimate, limit)}${unit}`
  const verdictsAt = sides.map(({ side, at, allowed, share }) => {
    const projection = estimator.projectShareBeyond(limitOnQuantile(quantile, side, at))
    return projection && projectedVerdict(share.estimate, projection, { max: allowed })
  })
  return {
    verdictAt: (growth) => allOf(verdictsAt.map((verdictAt) => verdictAt?.(growth) ?? 'inconclusive')),
    bounds: sides.map(({ share }) => share),
    bound: sides.reduce((agreed, { side, at, verdict }) => agreeWith(agreed, side, at, verdict), bound),
    verdict: allOf(sides.map(({ verdict }) => verdict)),
    arithmetic: `${known}, limit ${spellLimit(limit, unit)}: ${sentences.join('; ')}`,
  }
}

/** For each limit on a quantile, the share of values beyond it, which may be at most `allowed`. */
export function sharesBeyond(quantile: QuantileMetric, limit: Limit, estimator: Estimator) {
  return (['over', 'under'] as const).flatMap((side) => {
    const at = side === 'over' ? limit.max : limit.min
    if (at === undefined) return []
    const allowed = roundedShare(side === 'over' ? 1 - quantile.q : quantile.q)
    const share = estimator.shareBeyond(limitOnQuantile(quantile, side, at))
    return [{ side, at, allowed, share, verdict: judgeBound(share, { max: allowed }) }]
  })
}

/**
 * Moves the bound's edge to the side of the limit that the verdict says: histograms are only exact to 0.5 %, while the
 * share that was judged is exact.
 */
function agreeWith(bound: Bounded, side: 'over' | 'under', at: number, verdict: Verdict): Bounded {
  if (bound.estimate === null || verdict === 'inconclusive') return bound
  const isUpperEdge = (side === 'over') === (verdict === 'pass')
  return isUpperEdge
    ? { ...bound, upper: Math.min(bound.upper ?? at, at) }
    : { ...bound, lower: Math.max(bound.lower ?? at, at) }
}

export function spellBound({ lower, upper }: Bounded, policy: Policy, spell: (value: number) => string): string {
  const confidence = spellExactPercent(policy.confidence)
  if (lower === null && upper === null) return `no ${confidence} bound yet`
  if (upper === null) return `${confidence} bound from ${spell(lower!)} up`
  return lower === null
    ? `${confidence} bound up to ${spell(upper)}`
    : `${confidence} bound ${spell(lower)}${lower < 0 ? ' to ' : '–'}${spell(upper)}`
}

export function because({ estimate, lower, upper, n }: Bounded, verdict: Verdict, { buckets }: Estimator): string {
  if (verdict === 'pass') return 'the whole bound is inside'
  if (verdict === 'fail') return 'the whole bound is outside'
  if (estimate === null || n === 0) return 'no evidence'
  if (lower !== null || upper !== null) return 'the bound straddles the limit'
  return buckets < clustersMin ? `a bound needs ${clustersMin} buckets` : 'too little evidence for a bound'
}

function shortReason(metric: string, bound: Bounded, limit: Limit, verdict: Verdict): string {
  if (bound.estimate === null) return `${metric} has no evidence yet`
  const unit = unitOf(metric)
  const found = `${metric} is ${spellNumber(bound.estimate, limit)}${unit}, limit ${spellLimit(limit, unit)}`
  if (verdict === 'fail') return `${found}: the whole bound is outside`
  return bound.lower === null && bound.upper === null
    ? `${found}: too little evidence for a bound`
    : `${found}: the bound straddles it`
}

/** Leaves out undefined limits. */
export function limitOf({ min, max }: { min?: number | undefined; max?: number | undefined }): Limit {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** 1 − 0.99 is not quite 0.01. */
function roundedShare(share: number): number {
  return Number(share.toFixed(9))
}

const sided = /\.(primary|candidate|delta|drift)(?=\.|$)/

/**
 * Each side's own value of a metric that compares the two, such as `latency.primary.p95` and `latency.candidate.p95`
 * for `latency.delta.p95`. `undefined` where the sides have no value of their own, as for an agreement.
 */
function sidesOf(metric: string, policy: Policy, estimator: Estimator): CheckResult['sides'] {
  const of = (leg: string) => metric.replace(sided, `.${leg}`)
  const [primary, candidate] = [of('primary'), of('candidate')]
  const known = catalogueOf(policy)
  if (primary === candidate || !known.has(primary) || !known.has(candidate)) return undefined
  return { primary: estimator.estimate(primary).estimate, candidate: estimator.estimate(candidate).estimate }
}
