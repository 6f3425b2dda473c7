import type { Bounded } from '../../vocabulary/bounded.ts'
import type { RecentBound } from '../../vocabulary/gate.ts'
import { type GateCheck, type Policy, recentDefault } from '../../vocabulary/policy.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import { catalogueOf, isOfTruth } from '../metrics/catalogue.ts'
import { type Estimator, estimatorOf } from '../metrics/estimate.ts'
import { exchangesOf } from '../metrics/exchanges.ts'
import { quantileMetricOf } from '../metrics/quantile-limits.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { failuresBehind, spellFailures } from './failures-behind.ts'
import { judgeBound, type Limit } from './judge.ts'
import { limitOf, sharesBeyond } from './judge-metric.ts'
import { conditionOf, type RelativeInput, relationTo } from './judge-relative.ts'
import type { Judged } from './judged.ts'
import { spellDuration, spellExact, spellMinute, spellNumber, spellPercent, unitOf } from './spell-number.ts'

/** Where the last `recent` has something in fewer buckets, it reaches back to as many: fewer tell too little. */
const bucketsMin = 8

/**
 * When the newest evidence begins: `recent` before the end of the window, hence before its newest exchange and not
 * before now, or earlier where little came since, so that what went wrong before a quiet night is not forgotten in it.
 * `null` where that is more than half of the time that the evidence spans, and where the policy wants none.
 */
export function recentFrom(
  { window: { recent = recentDefault } }: Policy,
  { buckets, bucketMs, to }: RollupRange,
): EpochMs | null {
  const last = buckets.at(-bucketsMin)
  if (recent === 0 || last === undefined) return null
  const from = Math.min(last.at, Math.floor((to - recent) / bucketMs) * bucketMs)
  return 2 * (to - from) <= to - buckets[0]!.at ? from : null
}

/** The newest evidence by itself. */
export interface Recent {
  input: RelativeInput
  estimator: Estimator
}

export function recentOf({ policy, range, noiseFloor }: RelativeInput): Recent | null {
  const from = recentFrom(policy, range)
  if (from === null) return null
  const since = (whole: RollupRange) => {
    const range = rangeSince(whole, from)
    return { range, exchanges: exchangesOf(range, []) }
  }
  // its bound is narrowest at its own length
  const ofRecent: Policy = { ...policy, window: { ...policy.window, duration: range.to - from } }
  const input = { policy: ofRecent, ...since(range), noiseFloor: noiseFloor && since(noiseFloor.range) }
  return { input, estimator: estimatorOf(ofRecent, input.range, input.exchanges) }
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
  if (result.verdict !== 'pass' || recent === null || !isTold(check, whole, recent)) {
    return { ...judged, result: { ...result, recent: null } }
  }
  const conditions = conditionsOn(check, recent)
  const outside = conditions.find(({ bound, limit }) => judgeBound(bound, limit) === 'fail')
  const { bound, limit, beyond } = outside ?? conditions[0]!
  const { range } = recent.input
  const { estimate, lower, upper, n } = bound
  const seen: RecentBound = {
    from: new Date(range.from).toISOString(),
    ...{ estimate, lower, upper, limit, n },
    ...(beyond && { beyond }),
  }
  if (outside === undefined) return { ...judged, result: { ...result, recent: seen } }
  const last = `its last ${spellDuration(range.to - range.from)}, since ${spellMinute(range.from)}, lie outside`
  const found = `passes over the window, but ${last}: ${spellOutside(outside)}${failuresIn(recent, check, bound)}`
  const subject = result.relative ? `The ${result.relative.by} of ${check.metric}` : check.metric
  return {
    result: { ...result, verdict: 'inconclusive', recent: seen, text: `${result.text}; ${found} → inconclusive` },
    reason: `${subject} ${found}`,
  }
}

function failuresIn({ input, estimator }: Recent, { metric, relativeTo }: GateCheck, bound: Bounded): string {
  const failures = relativeTo === undefined ? failuresBehind(metric, bound, input.policy, estimator) : null
  return failures === null ? '' : `; ${spellFailures(failures)}`
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
}

/** What a check asks of evidence, in the numbers that its verdict follows from. */
function conditionsOn(check: GateCheck, { input, estimator }: Recent): Condition[] {
  const { metric, relativeTo } = check
  const unit = unitOf(metric)
  if (relativeTo !== undefined) {
    const { by, limit } = conditionOf(check)
    const spell = (value: number) => spellNumber(value, limit) + (by === 'difference' ? unit : '')
    return [{ bound: relationTo(relativeTo, metric, by, input, estimator), limit, spell }]
  }
  const limit = limitOf(check)
  const quantile = quantileMetricOf(metric, input.policy)
  if (quantile === null) {
    return [{ bound: estimator.bound(metric), limit, spell: (value) => spellNumber(value, limit) + unit }]
  }
  return sharesBeyond(quantile, limit, estimator).map(({ side, at, allowed, share }) => ({
    bound: share,
    limit: { max: allowed },
    beyond: side,
    of: ` ${side} ${spellExact(at)}${unit}`,
    spell: (value) => spellPercent(value, { max: allowed }),
  }))
}

function spellOutside({ bound: { estimate, lower, upper }, limit: { min, max }, of = '', spell }: Condition): string {
  const isOver = max !== undefined && lower !== null && lower > max
  const against = isOver ? `a most of ${spell(max)}` : `a least of ${spell(min!)}`
  const edges = [lower === null ? [] : spell(lower), upper === null ? 'up' : `to ${spell(upper)}`].flat()
  return `${spell(estimate!)} (${edges.join(' ')})${of} against ${against}`
}
