import type { RecentBound } from '../../vocabulary/api/gate.ts'
import type { Bounded } from '../../vocabulary/bounded.ts'
import { type GateCheck, type Policy, recentDefault } from '../../vocabulary/policy.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { catalogueOf, isOfTruth } from '../metrics/catalogue/catalogue.ts'
import { quantileMetricOf } from '../metrics/catalogue/quantile-limits.ts'
import { type Estimator, estimatorOf } from '../metrics/estimates/estimator.ts'
import { clustersMin } from '../metrics/estimates/projection.ts'
import { isFromGroups } from '../metrics/estimates/relate-metrics.ts'
import { exchangesOf, hasCompared } from '../metrics/evidence/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { failuresBehind, spellFailures } from './failures-behind.ts'
import { type Judged, judgeBound, type Limit } from './judge.ts'
import { limitOf, sharesBeyond } from './judge-metric.ts'
import { conditionOf, type RelativeInput, relationFor } from './judge-relative.ts'
import {
  spellDuration,
  spellExact,
  spellExactPercent,
  spellNumber,
  spellPercent,
  spellTime,
  unitOf,
} from './spell-number.ts'

/** Minimum of buckets with compared exchanges. */
const bucketsMin = 8

/**
 * When the newest evidence begins: `recent` before the end of the window, which is its newest exchange rather than now.
 * It reaches further back until it has as many filled buckets (with compared exchanges) as a span of this length has on
 * average, so that a failure before a quiet weekend is not forgotten in the first hours after it. `null` where this is
 * more than half of the filled buckets, or where the policy turns it off.
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
  /** Its end, which is the window's; a slice's last bucket may reach beyond. */
  to: EpochMs
}

export function recentOf({ policy, range, noiseFloor }: RelativeInput, to: EpochMs): Recent | null {
  const from = recentFrom(policy, range)
  if (from === null) return null
  const since = (whole: RollupRange) => {
    const range = rangeSince(whole, from)
    return { range, exchanges: exchangesOf(range, []) }
  }
  // makes the bound narrowest at this length
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
 * Makes a check inconclusive if it passes over the window but would fail on the newest evidence alone. It never fails
 * for that reason: bounds over a moving part do not hold at all times, and a weekend may have different traffic. An
 * inconclusive result of the newest evidence changes nothing.
 */
export function judgeRecent(judged: Judged, check: GateCheck, whole: Estimator, recent: Recent | null): Judged {
  const { result } = judged
  const from = recent && startFor(check, recent)
  if (result.verdict !== 'pass' || recent === null || from === null || !canBeJudged(check, whole, recent)) {
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
    estimate,
    lower,
    upper,
    limit,
    n,
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

/** Start of the evidence that a check uses. Some use only whole groups of buckets; `null` if there are too few. */
function startFor({ metric, relativeTo }: GateCheck, { input: { policy, range } }: Recent): EpochMs | null {
  const { from, groups } = range
  const isShare = relativeTo === undefined && quantileMetricOf(metric, policy) !== null
  if (isShare || !isFromGroups(catalogueOf(policy).get(metric)!)) return from
  return groups.length < clustersMin ? null : groups[0]!.at
}

/**
 * Whether a metric can be judged by the newest evidence alone. A maximum is never greater in a part, drift since the
 * first day needs the first day, and the first labels to arrive may differ from those still to come.
 */
function canBeJudged({ metric: name }: GateCheck, whole: Estimator, { input: { policy }, estimator }: Recent): boolean {
  const metric = catalogueOf(policy).get(name)!
  if (metric.kind === 'maximum' || (metric.kind === 'functional' && metric.sinceFirstDay)) return false
  if (!isOfTruth(name, policy)) return true
  const labelled = (of: Estimator) => of.estimate('labelCoverage').estimate ?? 0
  return labelled(estimator) >= labelledShareMin * labelled(whole)
}

/** The newest evidence must have at least this fraction of the whole window's label coverage. */
const labelledShareMin = 0.9

interface Condition {
  bound: Bounded
  limit: Limit
  beyond?: 'over' | 'under'
  /** What the numbers measure, where that is not the metric itself. */
  of?: string
  spell: (value: number) => string
  /** Shows the limit exactly: rounded it would be another limit. */
  spellLimit: (limit: number) => string
}

/** The bounds and limits that a check's verdict on this evidence follows from. */
function conditionsOn(check: GateCheck, { input, estimator }: Recent): Condition[] {
  const { metric, relativeTo } = check
  const unit = unitOf(metric)
  if (relativeTo !== undefined) {
    const { by, limit } = conditionOf(check)
    const bound = relationFor({ ...check, relativeTo }, input, estimator)
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
