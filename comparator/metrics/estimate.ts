import type { Bounded } from '../../vocabulary/api.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { quantile } from '../statistics/quantile.ts'
import type { Sum } from '../statistics/sums.ts'
import {
  type Confidence,
  clip,
  clustersMin,
  clustersOf,
  confidenceOf,
  type Projection,
  projectByJackknife,
  projectMean,
} from './bounds.ts'
import { catalogueOf, type Metric } from './catalogue.ts'
import { type Evidence, eachGroup, evidenceOf, withoutEachGroup, withoutEachSumGroup } from './evidence.ts'
import { coverageOf, type Exchanges } from './exchanges.ts'
import type { LimitOnQuantile } from './measures.ts'
import { boundOfQuantile } from './quantile-bound.ts'
import type { RollupRange } from './rollup-range.ts'

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
}

export function estimatorOf(policy: Policy, range: RollupRange, exchanges: Exchanges): Estimator {
  const evidence = evidenceOf(range)
  const basis: Basis = {
    range,
    evidence,
    confidence: confidenceOf(policy, range),
    eachGroup: once(() => eachGroup(range)),
    withoutEach: {
      sums: once(() => withoutEachSumGroup(range, () => true)),
      readSums: once(() => withoutEachSumGroup(range, readByFunctionals(policy))),
      group: once(() => withoutEachGroup(range)),
    },
  }
  const metricOf = (name: string) => {
    const metric = catalogueOf(policy).get(name)
    if (metric === undefined) throw new RangeError(`${name} is no metric of a ${policy.output.kind} output`)
    return metric
  }
  const bounded = (metric: Metric): Bounded => {
    const value = estimateOf(metric, evidence, exchanges)
    return { ...value, ...(value.estimate === null ? noBound : (boundOf(metric, value.estimate, basis) ?? noBound)) }
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
  }
}

function estimateOf(metric: Metric, evidence: Evidence, exchanges: Exchanges): { estimate: number | null; n: number } {
  switch (metric.kind) {
    case 'samples':
      return { estimate: exchanges.compared, n: exchanges.compared }
    case 'coverage':
      return { estimate: coverageOf(exchanges), n: exchanges.compared }
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
  /** The evidence without one group at a time: of buckets' sums (`readSums`: those that functionals read), or the rest. */
  withoutEach: { sums: () => Evidence[]; readSums: () => Evidence[]; group: () => Evidence[] }
}

type Bound = Pick<Bounded, 'lower' | 'upper'>
const noBound: Bound = { lower: null, upper: null }

function boundOf(metric: Metric, estimate: number, basis: Basis): Bound | null {
  const { evidence, confidence } = basis
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
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
    default:
      return projectionOf(metric, estimate, basis)?.(1) ?? null
  }
}

function projectionOf(metric: Metric, estimate: number, basis: Basis): Projection | null {
  const { range, evidence, confidence } = basis
  const { alpha, bucketsPlanned, groupsPlanned } = confidence
  switch (metric.kind) {
    case 'mean':
      return projectMean(clustersOf(range, metric.measure), metric.support, alpha, bucketsPlanned)
    case 'wins': {
      const decided = clustersOf(range, metric.measure)
        .map(winsIn)
        .filter(({ n }) => n > 0)
      return projectMean(decided, 'share', alpha, bucketsPlanned)
    }
    case 'rootMean': {
      const square = projectMean(clustersOf(range, metric.measure), 'nonNegative', alpha, bucketsPlanned)
      return (growth) => {
        const bound = square(growth)
        return bound && { lower: Math.sqrt(bound.lower), upper: Math.sqrt(bound.upper) }
      }
    }
    case 'functional': {
      if (metric.samples(evidence) < metric.samplesMin) return null
      const groups = (metric.from === 'sums' ? range.buckets : range.groups).length
      if (groups < clustersMin) return null
      const { readSums, group } = basis.withoutEach
      const leftOut = (metric.from === 'sums' ? readSums() : group()).map((rest) => metric.estimate(rest))
      const projection = projectByJackknife(estimate, leftOut, alpha, groupsPlanned)
      return (growth) => {
        const bound = projection(growth)
        return bound && clip(bound, metric.least, metric.greatest)
      }
    }
    default:
      return null
  }
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

/** By the jackknife over both at once: what moves them together, as a busy hour does, is not in the bound. */
function related(a: Metric, b: Metric, by: 'ratio' | 'difference', exchanges: Exchanges, basis: Basis) {
  const { range, evidence, confidence, withoutEach } = basis
  const of = (rest: Evidence) =>
    relationOf(estimateOf(a, rest, exchanges).estimate, estimateOf(b, rest, exchanges).estimate, by)
  const isFromGroups = a.kind === 'quantile' || (a.kind === 'functional' && a.from !== 'sums')
  const estimate = of(evidence)
  const { n } = estimateOf(a, evidence, exchanges)
  const groups = (isFromGroups ? range.groups : range.buckets).length
  if (estimate === null || groups < clustersMin) return { estimate, n, ...noBound, projection: null }
  const leftOut = (isFromGroups ? withoutEach.group() : withoutEach.sums()).map(of)
  const projection = projectByJackknife(estimate, leftOut, confidence.alpha, confidence.groupsPlanned)
  return { estimate, n, ...(projection(1) ?? noBound), projection }
}

/** A bin's value may lie a little outside what was observed. */
function withinExtremes(value: number | null, measure: string, { sums }: Evidence): number | null {
  const sum = sums.get(measure)
  if (value === null || sum === undefined) return value
  return Math.min(sum.max, Math.max(sum.min, value))
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
