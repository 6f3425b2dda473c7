import type { Bounded, Edges } from '../../vocabulary/bounded.ts'
import type { GateCheck, Policy, RelativeTo } from '../../vocabulary/policy.ts'
import { catalogueOf } from '../metrics/catalogue/catalogue.ts'
import { primaryOf } from '../metrics/catalogue/primary-counterpart.ts'
import { type Estimator, estimatorOf } from '../metrics/estimates/estimator.ts'
import { hasSpread } from '../metrics/estimates/projection.ts'
import { relationOf } from '../metrics/estimates/relate-metrics.ts'
import type { Exchanges } from '../metrics/evidence/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { forecastVerdict, noBound, noOutlook, type Pace } from './forecast.ts'
import { type Judged, judgeBound, type Limit } from './judge.ts'
import { because, limitOf, projectedVerdict, spellBound } from './judge-metric.ts'
import { spellCount, spellLimit, spellNumber, unitOf } from './spell-number.ts'

/** The evidence for a relative check. */
export interface RelativeInput {
  policy: Policy
  range: RollupRange
  exchanges: Exchanges
  /** The primary compared with itself. */
  noiseFloor?: { range: RollupRange; exchanges: Exchanges } | undefined
}

type RelativeCheck = GateCheck & { relativeTo: RelativeTo }
type By = 'ratio' | 'difference'

/** A ratio or difference with its bound, and the two values that it relates. */
interface Relation extends Bounded {
  value: number | null
  reference: number | null
  projection: ((growth: number) => Edges | null) | null
  stuck: ReturnType<Estimator['stuckBy']>
}

/** Judges a metric relative to the primary's own value, or to the same metric of the noise floor. */
export function judgeRelative(check: RelativeCheck, input: RelativeInput, estimator: Estimator, pace: Pace): Judged {
  const { metric, relativeTo, reportOnly } = check
  const { by, limit } = conditionOf(check)
  const found = relationFor(check, input, estimator)
  const { estimate, lower, upper, n, projection, stuck } = found
  const verdict = judgeBound(found, limit)
  const unforeseen = verdict === 'inconclusive' ? noBound : noOutlook
  const { words, ...outlook } =
    projection === null
      ? unforeseen
      : forecastVerdict(projectedVerdict(estimate, projection, limit), { n, bounds: [found], pace, stuck })

  const unit = unitOf(metric)
  const spellValue = (value: number | null) => (value === null ? 'is unknown' : spellNumber(value) + unit)
  const unitOfRelation = by === 'difference' ? unit : ''
  const spell = (value: number) => spellNumber(value, limit) + unitOfRelation
  const other = relativeTo === 'primary' ? 'the primary’s' : 'the noise floor’s'
  const values = `${metric} ${spellValue(found.value)}, ${other} ${spellValue(found.reference)}`
  const relation = estimate === null ? `no ${by}` : `${by} ${spell(estimate)}`
  const bound = `${spellBound(found, input.policy, spell)} over ${spellCount(n)} exchanges`
  const why = because(found, verdict, estimator)
  const text = `${values}: ${relation}, ${bound}; limit ${spellLimit(limit, unitOfRelation)}: ${why} → ${verdict}`
  const reason =
    estimate === null
      ? `${metric} has nothing to compare with yet: ${other} ${spellValue(found.reference)}`
      : `The ${by} of ${metric} to ${other} is ${spell(estimate)}, limit ${spellLimit(limit, unitOfRelation)}: ${why}`
  return {
    result: {
      metric,
      estimate,
      lower,
      upper,
      limit,
      relative: { to: relativeTo, by },
      sides: { [relativeTo]: found.reference, candidate: found.value },
      n,
      verdict,
      ...outlook,
      reportOnly,
      text: words ? `${text}; ${words}` : text,
    },
    reason,
  }
}

export function conditionOf({ minRatio, maxRatio, minDifference, maxDifference }: GateCheck): { by: By; limit: Limit } {
  const isRatio = minRatio !== undefined || maxRatio !== undefined
  const [min, max] = isRatio ? [minRatio, maxRatio] : [minDifference, maxDifference]
  return { by: isRatio ? 'ratio' : 'difference', limit: limitOf({ min, max }) }
}

/** What a relative check is about, with its bound. `estimator` is that of the input's own evidence. */
export function relationFor(check: RelativeCheck, input: RelativeInput, estimator: Estimator): Relation {
  const { metric, relativeTo } = check
  const { by } = conditionOf(check)
  const { policy, range, exchanges, noiseFloor } = input
  // Bonferroni: two bounds hold together with 1 − α if each holds with 1 − α/2, however they depend
  const halved: Policy = { ...policy, confidence: 1 - (1 - policy.confidence) / 2 }
  if (relativeTo === 'noiseFloor') {
    const other = noiseFloor && estimatorOf(halved, noiseFloor.range, noiseFloor.exchanges)
    return boxed({ estimator: estimatorOf(halved, range, exchanges), metric }, { estimator: other, metric }, by)
  }
  const primary = primaryOf(metric)
  const kind = catalogueOf(policy).get(metric)
  const isShare = kind?.kind === 'mean' && kind.support === 'share'
  const hasOthers = [metric, primary].some((name) => estimator.stuckBy(name) === 'others')
  const found = isShare || hasOthers ? null : estimator.relate(metric, primary, by)
  // with few failures or constant times the jackknife has no spread; the metrics' own bounds do, and allow for classes
  // that were merged
  if (found === null || (found.estimate !== null && !hasSpread(found, found.estimate))) {
    const each = estimatorOf(halved, range, exchanges)
    return boxed({ estimator: each, metric }, { estimator: each, metric: primary }, by)
  }
  const [value, reference] = [estimator.estimate(metric).estimate, estimator.estimate(primary).estimate]
  return { ...found, value, reference, stuck: null }
}

/** A metric and the evidence to estimate it from; `undefined` if there is none. */
interface Related {
  metric: string
  estimator: Estimator | undefined
}

/** Relates two metrics by the extremes of their own bounds. */
function boxed(of: Related & { estimator: Estimator }, to: Related, by: By): Relation {
  const own = of.estimator.bound(of.metric)
  const reference = to.estimator?.bound(to.metric) ?? { estimate: null, lower: null, upper: null, n: 0 }
  const ofProjected = of.estimator.project(of.metric)
  const toProjected = to.estimator?.project(to.metric) ?? null
  return {
    value: own.estimate,
    reference: reference.estimate,
    estimate: relationOf(own.estimate, reference.estimate, by),
    ...cornersOf(own, reference, by),
    n: Math.min(own.n, reference.n),
    stuck: of.estimator.stuckBy(of.metric) ?? to.estimator?.stuckBy(to.metric) ?? null,
    projection:
      ofProjected &&
      toProjected &&
      ((growth) => {
        const [a, b] = [ofProjected(growth), toProjected(growth)]
        return a && b && cornersOf(a, b, by)
      }),
  }
}

function cornersOf(a: Edges, b: Edges, by: By): Edges {
  return { lower: relationOf(a.lower, b.upper, by), upper: relationOf(a.upper, b.lower, by) }
}
