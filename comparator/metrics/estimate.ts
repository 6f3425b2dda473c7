import { type Bounded, type Edges, noEdges } from '../../vocabulary/bounded.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { clusteredMean } from '../statistics/clustered-mean.ts'
import { jackknife } from '../statistics/jackknife.ts'
import { quantile, quantileOfBins } from '../statistics/quantile.ts'
import type { Sum } from '../statistics/sums.ts'
import { relationWithUnseen, unseenShare } from '../statistics/unseen-share.ts'
import {
  type Confidence,
  clip,
  clustersMin,
  clustersOf,
  confidenceOf,
  correlationOf,
  hasSpread,
  hull,
  type Projection,
  projectByJackknife,
  projectLower,
  projectMean,
} from './bounds.ts'
import { catalogueOf, type Metric } from './catalogue.ts'
import {
  type Evidence,
  eachGroup,
  evidenceOf,
  withoutEachGroup,
  withoutEachLaterGroup,
  withoutEachSumGroup,
} from './evidence.ts'
import { coverageOf, type Exchanges } from './exchanges.ts'
import { finite } from './finite.ts'
import type { Functional } from './functional.ts'
import type { LimitOnQuantile } from './measures.ts'
import { once, onceEach } from './once.ts'
import { boundOfQuantile } from './quantile-bound.ts'
import type { RollupRange } from './rollup-range.ts'
import { type UnseenSize, unseenSizeOf } from './unseen-size.ts'

/** One range of rollups, ready to estimate and bound any metric; what several metrics share is computed once. */
export interface Estimator {
  evidence: Evidence
  /** Buckets that hold something. */
  buckets: number
  /** The value alone; `null` where there is no evidence. Throws a `RangeError` on a name outside the catalogue. */
  estimate(name: string): Pick<Bounded, 'estimate' | 'n'>
  /** The value with its bound. */
  bound(name: string): Bounded
  /** The share of values beyond a limit on a quantile, with its bound. */
  shareBeyond(limit: LimitOnQuantile): Bounded
  /** What the bound of `bound` would be with more evidence; `null` where no bound narrows with evidence. */
  project(name: string): Projection | null
  /** A metric's ratio to, or difference from, another of the same exchanges, with its bound. */
  relate(name: string, other: string, by: 'ratio' | 'difference'): Bounded & { projection: Projection | null }
  projectShareBeyond(limit: LimitOnQuantile): Projection | null
  /** How much each bucket, or group of buckets, of a metric is like the next, in about [−1, 1]; `null` where unknown. */
  correlation(name: string): number | null
  correlationBeyond(limit: LimitOnQuantile): number | null
  /** Why no more of the same evidence tells a metric: the first day gets none, or classes were given up for one. */
  stuckBy(name: string): 'firstDay' | 'others' | null
}

export function estimatorOf(policy: Policy, range: RollupRange, exchanges: Exchanges): Estimator {
  const evidence = evidenceOf(range)
  const withoutEach: Basis['withoutEach'] = {
    sums: once(() => withoutEachSumGroup(range, () => true)),
    readSums: once(() => withoutEachSumGroup(range, readByFunctionals(policy))),
    group: once(() => withoutEachGroup(range)),
    laterGroup: once(() => withoutEachLaterGroup(range)),
  }
  const basis: Basis = {
    range,
    evidence,
    confidence: confidenceOf(policy, range),
    eachGroup: once(() => eachGroup(range)),
    withoutEach,
    leftOut: onceEach((metric) => piecesOf(metric, withoutEach).map((rest) => metric.estimate(rest))),
  }
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
    relate: (name, other, by) => related(metricOf(name), metricOf(other), by, exchanges, basis),
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

function estimateOf(metric: Metric, evidence: Evidence, exchanges: Exchanges): { estimate: number | null; n: number } {
  switch (metric.kind) {
    case 'samples':
      return { estimate: exchanges.compared, n: exchanges.compared }
    case 'coverage':
      return { estimate: coverageOf(exchanges), n: exchanges.compared }
    case 'labelCoverage': {
      const n = evidence.sums.get(metric.compared)?.n ?? 0
      return { estimate: n > 0 ? (evidence.sums.get(metric.labelled)?.n ?? 0) / n : null, n }
    }
    case 'quantile': {
      const values = evidence.distributionOf(metric.values)
      return { estimate: withinExtremes(quantile(values, metric.q), metric.values, evidence), n: values.total }
    }
    case 'functional':
      return { estimate: finite(metric.estimate(evidence)), n: metric.samples(evidence) }
    default: {
      const all = evidence.sums.get(metric.measure)
      const sum = metric.kind === 'wins' && all !== undefined ? winsIn(all) : all
      if (sum === undefined || sum.n <= 0) return { estimate: null, n: 0 }
      if (metric.kind === 'maximum') return { estimate: finite(sum.max), n: sum.n }
      const mean = sum.sum / sum.n
      return { estimate: finite(metric.kind === 'rootMean' ? Math.sqrt(mean) : mean), n: sum.n }
    }
  }
}

interface Basis {
  range: RollupRange
  evidence: Evidence
  confidence: Confidence
  eachGroup: () => Evidence[]
  /**
   * The evidence without one group at a time: of buckets' sums (`readSums`: those that functionals read), or the rest, or
   * the rest after the first day.
   */
  withoutEach: Record<'sums' | 'readSums' | 'group' | 'laterGroup', () => Evidence[]>
  /** A functional's values without one group at a time. */
  leftOut(metric: Functional): (number | null)[]
}

function boundOf(metric: Metric, estimate: number, basis: Basis): Edges | null {
  const { evidence, confidence } = basis
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
    case 'labelCoverage':
      return { lower: estimate, upper: estimate }
    case 'maximum':
      // An observed maximum: it says nothing of what lies beyond the window.
      return { lower: estimate, upper: null }
    case 'quantile': {
      const { alpha, groupsPlanned } = confidence
      const groups = basis.eachGroup().map((group) => group.distributionOf(metric.values))
      const bound = boundOfQuantile(evidence.distributionOf(metric.values), groups, metric.q, alpha, groupsPlanned)
      return {
        lower: bound.lower === null ? null : Math.min(bound.lower, estimate),
        upper: bound.upper === null ? null : Math.max(bound.upper, estimate),
      }
    }
    default: {
      const bound = projectionOf(metric, estimate, basis)?.(1)
      return bound ? { lower: finite(bound.lower), upper: finite(bound.upper) } : null
    }
  }
}

function projectionOf(metric: Metric, estimate: number, basis: Basis): Projection | null {
  const { range, evidence, confidence } = basis
  const { alpha, bucketsPlanned } = confidence
  switch (metric.kind) {
    case 'mean':
      return projectMean(
        clustersOf(range, metric.measure),
        metric.support,
        alpha,
        bucketsPlanned,
        sizeOf(metric, evidence),
      )
    case 'wins': {
      const decided = clustersOf(range, metric.measure)
        .map(winsIn)
        .filter(({ n }) => n > 0)
      return projectMean(decided, 'share', alpha, bucketsPlanned)
    }
    case 'rootMean': {
      const clusters = clustersOf(range, metric.measure)
      const square = projectMean(clusters, 'nonNegative', alpha, bucketsPlanned, sizeOf(metric, evidence))
      return (growth) => {
        const bound = square(growth)
        return bound && { lower: Math.sqrt(bound.lower), upper: Math.sqrt(bound.upper) }
      }
    }
    case 'functional': {
      if (hasFewSamples(metric, evidence)) return null
      const groups = (metric.from === 'sums' ? range.buckets : range.groups).length
      if (groups < clustersMin) return null
      const projection = projectFunctional(metric, estimate, basis)
      if (metric.most === undefined || !metric.hasOthers!(evidence)) return projection
      const most = metric.most.estimate(evidence)
      const projectionOfMost = projectFunctional(metric.most, most ?? Number.NaN, basis)
      return (growth) => {
        const [least, most] = [projection(growth), projectionOfMost(growth)]
        return least && most && { lower: least.lower, upper: most.upper }
      }
    }
    default:
      return null
  }
}

function projectFunctional(metric: Functional, estimate: number, basis: Basis): Projection {
  const { evidence, confidence } = basis
  const projection = projectByGroups(metric, estimate, basis)
  const isAlone = metric.unseenOnlyWithoutSpread && hasSpread(projection(1), estimate)
  return (growth) => {
    const bound = projection(growth)
    if (bound === null) return null
    const seen = { n: metric.samples(evidence, growth), alpha: confidence.alpha }
    const whole = isAlone ? bound : hull(bound, metric.unseen(evidence, estimate, seen))
    return clip(whole, metric.least, metric.greatest)
  }
}

/** By the jackknife; its lower end no higher than that of what each group shows which the others point to. */
function projectByGroups(metric: Functional, estimate: number, basis: Basis): Projection {
  const { evidence, withoutEach, confidence } = basis
  const { alpha, groupsPlanned } = confidence
  const jackknifed = projectByJackknife(estimate, basis.leftOut(metric), alpha, groupsPlanned)
  if (metric.heldOut === undefined) return jackknifed
  const groups = piecesOf(metric, withoutEach).flatMap((rest) => metric.heldOut!(evidence, rest) ?? [])
  const lowerOf = projectLower(groups, alpha, groupsPlanned)
  return (growth) => {
    const [bound, lower] = [jackknifed(growth), lowerOf(growth)]
    return bound && lower !== null ? { ...bound, lower: Math.min(bound.lower, lower) } : null
  }
}

function piecesOf({ from, sinceFirstDay }: Functional, withoutEach: Basis['withoutEach']): Evidence[] {
  if (sinceFirstDay) return withoutEach.laterGroup()
  return from === 'sums' ? withoutEach.readSums() : withoutEach.group()
}

function sizeOf({ size }: { size?: UnseenSize }, { sums }: Evidence): number {
  return size === undefined ? Number.POSITIVE_INFINITY : unseenSizeOf(size, sums)
}

function readByFunctionals(policy: Policy): (measure: string) => boolean {
  const functionals = [...catalogueOf(policy).values()].filter((metric) => metric.kind === 'functional')
  const read = new Set(functionals.flatMap(({ sums }) => sums))
  return (measure) => read.has(measure)
}

/** Of differences −1, 0 and 1: those that are not 0, each 1 where it was 1. Σx² counts them, Σx² + Σx is twice the wins. */
function winsIn({ sum, sumSq }: Sum): Sum {
  const wins = (sumSq + sum) / 2
  return { n: sumSq, sum: wins, sumSq: wins, min: 0, max: 1 }
}

/** The ratio a/b, or the difference a − b; a ratio to nothing is `null`. */
export function relationOf(a: number | null, b: number | null, by: 'ratio' | 'difference'): number | null {
  if (a === null || b === null) return null
  return finite(by === 'difference' ? a - b : b > 0 ? a / b : null)
}

/**
 * By the jackknife over both at once: what moves them together, as a busy hour does, is not in the bound. Of quantiles
 * the bound also holds what the unseen share could do (`unseen-share.ts`), as that of `latency.ratio` does: few values
 * beyond a quantile leave a jackknife too little to tell of, so p99 has no upper end below 680 exchanges at 95 %.
 */
function related(a: Metric, b: Metric, by: 'ratio' | 'difference', exchanges: Exchanges, basis: Basis) {
  const { range, evidence, confidence, withoutEach } = basis
  const quantityOf = (metric: Metric, rest: Evidence) =>
    metric.kind === 'quantile'
      ? quantileOfBins(rest.distributionOf(metric.values), metric.q)
      : estimateOf(metric, rest, exchanges).estimate
  const of = (rest: Evidence) => relationOf(quantityOf(a, rest), quantityOf(b, rest), by)
  const isFromGroups = a.kind === 'quantile' || (a.kind === 'functional' && a.from !== 'sums')
  const estimate = of(evidence)
  const { n } = estimateOf(a, evidence, exchanges)
  const groups = (isFromGroups ? range.groups : range.buckets).length
  const isTooFew = groups < clustersMin || hasFewSamples(a, evidence) || hasFewSamples(b, evidence)
  if (estimate === null || isTooFew) return { estimate, n, ...noEdges, projection: null }
  const { sums, group } = withoutEach
  const pieces = a.kind === 'functional' ? piecesOf(a, withoutEach) : isFromGroups ? group() : sums()
  const leftOut = pieces.map(of)
  const { alpha, groupsPlanned } = confidence
  const jackknifed = projectByJackknife(estimate, leftOut, alpha, groupsPlanned)
  const projection: Projection = (growth) => {
    const bound = jackknifed(growth)
    if (bound === null || a.kind !== 'quantile' || b.kind !== 'quantile') return bound
    const [of, to] = [evidence.distributionOf(a.values), evidence.distributionOf(b.values)]
    return hull(bound, relationWithUnseen(of, to, a.q, by, unseenShare(n * growth, alpha)))
  }
  const bound = projection(1)
  return { estimate, n, lower: finite(bound?.lower ?? null), upper: finite(bound?.upper ?? null), projection }
}

function hasFewSamples(metric: Metric, evidence: Evidence): boolean {
  return metric.kind === 'functional' && metric.samples(evidence) < metric.samplesMin
}

/** A bin's value may lie a little outside what was observed. */
function withinExtremes(value: number | null, measure: string, { sums }: Evidence): number | null {
  const sum = sums.get(measure)
  if (value === null || sum === undefined) return value
  return Math.min(sum.max, Math.max(sum.min, value))
}
