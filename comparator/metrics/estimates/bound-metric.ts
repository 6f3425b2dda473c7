import type { Edges } from '../../../vocabulary/bounded.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { clip, hull } from '../../statistics/interval.ts'
import { catalogueOf } from '../catalogue/catalogue.ts'
import type { Functional } from '../catalogue/functional.ts'
import type { Metric } from '../catalogue/metric.ts'
import { distributionBehind } from '../catalogue/quantile-metrics.ts'
import { type UnseenSize, unseenSizeOf } from '../catalogue/unseen-size.ts'
import {
  type Evidence,
  eachGroup,
  evidenceOf,
  withoutEachGroup,
  withoutEachLaterGroup,
  withoutEachSumGroup,
} from '../evidence/evidence.ts'
import type { Exchanges } from '../evidence/exchanges.ts'
import { once, onceEach } from '../evidence/once.ts'
import type { RollupRange } from '../rollup-range.ts'
import { finite } from './finite.ts'
import { projectMean } from './mean-bound.ts'
import { winsIn } from './point-estimate.ts'
import {
  type Confidence,
  clustersMin,
  clustersOf,
  confidenceOf,
  hasSpread,
  type Projection,
  projectByJackknife,
  projectLower,
} from './projection.ts'
import { boundOfQuantile } from './quantile-bound.ts'

/** The basis for bounds of all metrics of one range. What several metrics need is computed once. */
export interface Basis {
  range: RollupRange
  evidence: Evidence
  exchanges: Exchanges
  confidence: Confidence
  eachGroup: () => Evidence[]
  /**
   * The evidence without one group at a time. `sums`: the sums of a group of buckets; `readSums`: only those sums that
   * functionals read; `group`: a group's cells and histograms; `laterGroup`: the same for groups after the first day.
   */
  withoutEach: Record<'sums' | 'readSums' | 'group' | 'laterGroup', () => Evidence[]>
  /** A functional's values, in its smooth form, without one group at a time. */
  leftOut(metric: Functional): (number | null)[]
}

export function basisOf(policy: Policy, range: RollupRange, exchanges: Exchanges): Basis {
  const evidence = evidenceOf(range)
  const withoutEach: Basis['withoutEach'] = {
    sums: once(() => withoutEachSumGroup(range, () => true)),
    readSums: once(() => withoutEachSumGroup(range, readByFunctionals(policy))),
    group: once(() => withoutEachGroup(range)),
    laterGroup: once(() => withoutEachLaterGroup(range)),
  }
  return {
    range,
    evidence,
    exchanges,
    confidence: confidenceOf(policy, range),
    eachGroup: once(() => eachGroup(range)),
    withoutEach,
    leftOut: onceEach((metric) => piecesOf(metric, withoutEach).map((rest) => smoothOf(metric, rest))),
  }
}

export function boundOf(metric: Metric, estimate: number, basis: Basis): Edges | null {
  const { evidence, confidence } = basis
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
    case 'labelCoverage':
      return { lower: estimate, upper: estimate }
    case 'maximum':
      // an observed maximum says nothing about values beyond the window
      return { lower: estimate, upper: null }
    case 'quantile': {
      const groups = basis.eachGroup().map((group) => distributionBehind(metric, group))
      const bound = boundOfQuantile(distributionBehind(metric, evidence), groups, metric.q, confidence.groups)
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

/** The bound as a function of the amount of evidence; `null` for metrics whose bound does not narrow. */
export function projectionOf(metric: Metric, estimate: number, basis: Basis): Projection | null {
  const { range, evidence, confidence } = basis
  switch (metric.kind) {
    case 'mean':
      return projectMean(
        clustersOf(range, metric.measure),
        metric.support,
        confidence.buckets,
        sizeOf(metric, evidence),
      )
    case 'wins': {
      const decided = clustersOf(range, metric.measure)
        .map(winsIn)
        .filter(({ n }) => n > 0)
      return projectMean(decided, 'share', confidence.buckets)
    }
    case 'rootMean': {
      const clusters = clustersOf(range, metric.measure)
      const square = projectMean(clusters, 'nonNegative', confidence.buckets, sizeOf(metric, evidence))
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
    const seen = { n: metric.samples(evidence, growth), alpha: confidence.groups.alpha }
    const whole = isAlone ? bound : hull(bound, metric.unseen(evidence, estimate, seen))
    return clip(whole, metric.least, metric.greatest)
  }
}

/** The jackknife's bound, with the lower end no higher than that of the mean over held-out groups. */
function projectByGroups(metric: Functional, estimate: number, basis: Basis): Projection {
  const { evidence, withoutEach, confidence } = basis
  const middle = metric.smooth ? (metric.smooth(evidence) ?? Number.NaN) : estimate
  const jackknifed = projectByJackknife(middle, basis.leftOut(metric), confidence.groups)
  if (metric.heldOut === undefined) return jackknifed
  const groups = piecesOf(metric, withoutEach).flatMap((rest) => metric.heldOut!(evidence, rest) ?? [])
  const lowerOf = projectLower(groups, confidence.groups)
  return (growth) => {
    const [bound, lower] = [jackknifed(growth), lowerOf(growth)]
    return bound && lower !== null ? { ...bound, lower: Math.min(bound.lower, lower) } : null
  }
}

const smoothOf = (metric: Functional, evidence: Evidence) => (metric.smooth ?? metric.estimate)(evidence)

export function piecesOf({ from, sinceFirstDay }: Functional, withoutEach: Basis['withoutEach']): Evidence[] {
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

export function hasFewSamples(metric: Metric, evidence: Evidence): boolean {
  return metric.kind === 'functional' && metric.samples(evidence) < metric.samplesMin
}
