import type { Bounded } from '../../vocabulary/bounded.ts'
import type { RecentBound } from '../../vocabulary/gate.ts'
import { type GateCheck, type Policy, recentDefault } from '../../vocabulary/policy.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { clustersMin } from '../metrics/bounds.ts'
import { catalogueOf, isOfTruth } from '../metrics/catalogue.ts'
import { type Estimator, estimatorOf } from '../metrics/estimate.ts'
import { exchangesOf, hasCompared } from '../metrics/exchanges.ts'
import { quantileMetricOf } from '../metrics/quantile-limits.ts'
import { isFromGroups } from '../metrics/relate-metrics.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { failuresBehind, spellFailures } from './failures-behind.ts'
import { type Judged, judgeBound, type Limit } from './judge.ts'
import { limitOf, sharesBeyond } from './judge-metric.ts'
import { conditionOf, type RelativeInput, relationTo } from './judge-relative.ts'
import {
  spellDuration,
  spellExact,
  spellExactPercent,
  spellNumber,
  spellPercent,
  spellTime,
  unitOf,
} from './spell-number.ts'

/** Fewer buckets with compared exchanges tell too little. */
const bucketsMin = 8

/**
 * When the newest evidence begins: `recent` before the end of the window, hence before its newest exchange and not
 * before now. It reaches further back until it has as many buckets with compared exchanges as so much time has on the
 * average, so that what went wrong before a quiet week-end is not forgotten in the first hours after it. `null` where
 * that is more than half of such buckets, and where the policy wants none.
 */
export function recentFrom(
  { window: { recent = recentDefault } }: Policy,
  { buckets, bucketMs, to }: RollupRange,
): EpochMs | null {
  const filled = buckets.filter(({ sums }) => hasCompared(sums))
  const [first] = filled
  if (recent === 0 || first === undefined) return null
  const from = Math.floor((to - recent) / bucketMs) * bucketMs
  const within = filled.filter(({ at }) => at >= from).length
  const typical = Math.ceil((recent * filled.length) / (to - first.at))
  const count = Math.max(bucketsMin, typical, within)
  return 2 * count > filled.length ? null : Math.min(from, filled.at(-count)!.at)
}

/** The newest evidence by itself. */
export interface Recent {
  input: RelativeInput
  estimator: Estimator
  /** Its end, and that of the window: a slice's last bucket may reach beyond. */
  to: EpochMs
}

export function recentOf({ policy, range, noiseFloor }: RelativeInput, to: EpochMs): Recent | null {
  const from = recentFrom(policy, range)
  if (from === null) return null
  const since = (whole: RollupRange) => {
    const range = rangeSince(whole, from)
    return { range, exchanges: exchangesOf(range, []) }
  }
  // its bound is narrowest at its own length
  const ofRecent: Policy = { ...policy, window: { ...policy.window, duration: range.to - from } }
  const input = { policy: ofRecent, ...since(range), noiseFloor: noiseFloor && since(noiseFloor.range) }
  return { input, estimator: estimatorOf(ofRecent, input.range, input.exchanges), to }
}

const rangeSince = ({ buckets, groups, ...range }: RollupRange, from: EpochMs): RollupRange => ({
  ...range,
  from,
  buckets: buckets.filter(({ at }) => at >= from),
  groups: groups.filter(({ at }) => at >= from),
})

/**
 * A check that passes over the window and, by itself, would fail by the newest evidence: undecided. It never fails by
 * that alone: a part that moves on is no sequence whose bounds hold at all times, and a week-end may be another traffic.
 * What the newest evidence leaves undecided changes nothing.
 */
export function judgeRecent(judged: Judged, check: GateCheck, whole: Estimator, recent: Recent | null): Judged {
  const { result } = judged
  const from = recent && beginOf(check, recent)
  if (result.verdict !== 'pass' || recent === null || from === null || !isTold(check, whole, recent)) {
    return { ...judged, result: { ...result, recent: null } }
  }
  const conditions = conditionsOn(check, recent)
  const outside = conditions.find(({ bound, limit }) => judgeBound(bound, limit) === 'fail')
  const { bound, limit, beyond } = outside ?? conditions[0]!
  const { policy } = recent.input
  const { estimate, lower, upper, n } = bound
  const isAlone = outside !== undefined && check.relativeTo === undefined
  const failures = isAlone ? failuresBehind(check.metric, bound, policy, recent.estimator) : null
  const seen: RecentBound = {
    from: new Date(from).toISOString(),
    ...{ estimate, lower, upper, limit, n },
    ...(beyond && { beyond }),
    ...(failures && { failures }),
  }
  if (outside === undefined) return { ...judged, result: { ...result, recent: seen } }
  const last = `its last ${spellDuration(recent.to - from)} (since ${spellTime(from)}) are outside the limit`
  const why = failures === null ? '' : `; ${spellFailures(failures)}`
  const found = `passes over the window, but ${last}: ${spellOutside(outside)}${why}`
  const subject = result.relative ? `The ${result.relative.by} of ${check.metric}` : check.metric
  const text = `${result.text}; ${found} → inconclusive`
  return {
    result: { ...result, verdict: 'inconclusive', recent: seen, noForecast: { because: 'newest' }, text },
    reason: `${subject} ${found}`,
  }
}

/** Where begins what a check is reckoned from: whole groups of buckets, of some; `null` where they are too few. */
function beginOf({ metric, relativeTo }: GateCheck, { input: { policy, range } }: Recent): EpochMs | null {
  const { from, groups } = range
  const isShare = relativeTo === undefined && quantileMetricOf(metric, policy) !== null
  if (isShare || !isFromGroups(catalogueOf(policy).get(metric)!)) return from
  return groups.length < clustersMin ? null : groups[0]!.at
}

/**
 * Whether the newest evidence tells such a metric by itself. A greatest value is never greater in a part; drift since
 * the first day has no first day in it; and labels that are still to come may be others than those that came at once.
 */
function isTold({ metric: name }: GateCheck, whole: Estimator, { input: { policy }, estimator }: Recent): boolean {
  const metric = catalogueOf(policy).get(name)!
  if (metric.kind === 'maximum' || (metric.kind === 'functional' && metric.sinceFirstDay)) return false
  if (!isOfTruth(name, policy)) return true
  const labelled = (of: Estimator) => of.estimate('labelCoverage').estimate ?? 0
  return labelled(estimator) >= labelledShareMin * labelled(whole)
}

/** How much of the window's own share of labels the newest evidence must have. */
const labelledShareMin = 0.9

interface Condition {
  bound: Bounded
  limit: Limit
  beyond?: 'over' | 'under'
  /** What the numbers are of, where that is not the metric. */
  of?: string
  spell: (value: number) => string
  /** The limit's own number, which rounded would be another. */
  spellLimit: (limit: number) => string
}

/** What a check asks of evidence, in the numbers that its verdict follows from. */
function conditionsOn(check: GateCheck, { input, estimator }: Recent): Condition[] {
  const { metric, relativeTo } = check
  const unit = unitOf(metric)
  if (relativeTo !== undefined) {
    const { by, limit } = conditionOf(check)
    const bound = relationTo(relativeTo, metric, by, input, estimator)
    return [{ bound, limit, ...spelledIn(by === 'difference' ? unit : '', limit) }]
  }
  const limit = limitOf(check)
  const quantile = quantileMetricOf(metric, input.policy)
  if (quantile === null) {
    return [{ bound: estimator.bound(metric), limit, ...spelledIn(unit, limit) }]
  }
  return sharesBeyond(quantile, limit, estimator).map(({ side, at, allowed, share }) => ({
    bound: share,
    limit: { max: allowed },
    beyond: side,
    of: ` ${side} ${spellExact(at)}${unit}`,
    spell: (value) => spellPercent(value, { max: allowed }),
    spellLimit: spellExactPercent,
  }))
}

const spelledIn = (unit: string, limit: Limit) => ({
  spell: (value: number) => spellNumber(value, limit) + unit,
  spellLimit: (value: number) => spellExact(value) + unit,
})

function spellOutside({ bound, limit: { min, max }, of = '', spell, spellLimit }: Condition): string {
  const { estimate, lower, upper } = bound
  const isOver = max !== undefined && lower !== null && lower > max
  const against = isOver ? `≤ ${spellLimit(max)}` : `≥ ${spellLimit(min!)}`
  const edges = [lower === null ? [] : spell(lower), upper === null ? 'up' : `to ${spell(upper)}`].flat()
  return `${spell(estimate!)} (${edges.join(' ')})${of}, limit ${against}`
}
