import type { CheckResult, WindowView } from '../../../../vocabulary/api/gate.ts'
import { evidenceChecks, type Verdict } from '../../../../vocabulary/verdict.ts'
import { digitsFor, formatCount, formatEstimate } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'
import { checkInfo, clipTo, metricInfo } from '../metrics/metric-info.ts'

export interface CheckGroup {
  name: Verdict | 'awaited' | 'reportOnly'
  checks: CheckResult[]
}

const groupNames = ['fail', 'inconclusive', 'awaited', 'pass', 'reportOnly'] as const

/**
 * Failed checks first, then inconclusive ones, those still waiting for evidence, passed ones, and report-only ones
 * last. The deciding check is first in its group.
 */
export function groupChecks(checks: readonly CheckResult[], window: EvidenceSize): CheckGroup[] {
  const groupOf = (check: CheckResult): CheckGroup['name'] => {
    if (check.reportOnly) return 'reportOnly'
    return lackOf(check, window) === null ? check.verdict : 'awaited'
  }
  const groups = Map.groupBy(checks, groupOf)
  return groupNames.flatMap((name) => {
    const ofGroup = groups.get(name) ?? []
    const checks = ofGroup.toSorted((a, b) => Number(b.decides ?? false) - Number(a.decides ?? false))
    return checks.length === 0 ? [] : { name, checks }
  })
}

type EvidenceSize = Pick<WindowView, 'samples' | 'samplesMin'>

/**
 * What a check of the model lacks before its figures mean anything: the minimum samples, or buckets for a bound. `null`
 * if it lacks nothing, or if it failed, which needs no more evidence.
 */
export function lackOf(
  check: Pick<CheckResult, 'metric' | 'verdict' | 'n' | 'lower' | 'upper'>,
  window: EvidenceSize,
): string | null {
  if (evidenceChecks.includes(check.metric) || check.verdict === 'fail') return null
  if (window.samples < window.samplesMin) return `have ${formatCount(check.n)}, need ${formatCount(window.samplesMin)}`
  if (check.n === 0) return 'nothing measured yet'
  if (check.verdict === 'inconclusive' && check.lower === null && check.upper === null) {
    return `have ${formatCount(check.n)}, no bound yet`
  }
  return null
}

/** The result of a check that has no figures to show; `null` for checks that have. */
export function findingOf({ metric, verdict, n }: Pick<CheckResult, 'metric' | 'verdict' | 'n'>): string | null {
  if (metric !== 'age') return null
  if (n === 0) return 'nothing measured yet'
  return verdict === 'pass' ? 'recent enough' : 'too old'
}

/** `p95 of each pair’s difference`, which is not the difference between the sides' p95; `null` for any other metric. */
export function ofDifferences({ metric, relative }: Pick<CheckResult, 'metric' | 'relative'>): string | null {
  const quantile = /^latency\.delta\.(p\d+)$/.exec(metric)?.[1]
  return quantile === undefined || relative !== undefined ? null : `${quantile} of each pair’s difference`
}

/** A check's figures, all rounded to the precision of its bound. */
export function checkFigures(check: CheckResult) {
  const { unit, domain } = checkInfo(check)
  const sides = metricInfo(check.metric.replace(/\.(delta|drift)(?=\.|$)/, '.candidate'))
  const lower = clipTo(domain, check.lower)
  const upper = clipTo(domain, check.upper)
  const digits = digitsFor(check.estimate, lower, upper, unit, check.limit)
  const isExact = lower === upper && lower !== null
  const side = (value: number | null | undefined) =>
    value === undefined || ofDifferences(check) !== null
      ? null
      : formatEstimate(value, sides, sides.unit === unit ? digits : undefined)
  return {
    estimate: formatEstimate(check.estimate, { unit, domain }, digits, check.limit),
    bound: isExact ? 'exact' : (spanText({ lower, upper }, unit, digits) ?? '–'),
    primary: side(check.sides?.primary ?? check.sides?.noiseFloor),
    candidate: side(check.sides?.candidate),
  }
}
