import type { CheckResult, Forecast, GateEvaluation } from '../../../../vocabulary/gate.ts'
import { limitText } from '../format/limit-text.ts'
import { decimalsFor, formatCount } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'
import { formatSpan } from '../format/time.ts'
import { checkInfo } from '../metrics/metric-info.ts'

const evidenceMetrics = ['samples', 'duration', 'coverage', 'everyHourOfWeek']

/**
 * The sentence that decides, in a reader's words: the deciding check's own figures, as they are stored with the
 * evaluation. Where no single check decides, the evaluation's reason stands for itself.
 */
export function verdictSentence({
  verdict,
  reason,
  checks,
}: Pick<GateEvaluation, 'verdict' | 'reason' | 'checks'>): string {
  const check = checks.find(({ decides }) => decides)
  if (check === undefined || verdict === 'pass') return reason
  const outlook = check.forecast ? `: ${forecastText(check.forecast)}` : ''
  if (evidenceMetrics.includes(check.metric)) return `${reason.replace(/\.$/, '')}${outlook}.`
  const { label, unit } = checkInfo(check)
  const span = spanText(check, unit, decimalsFor(check.estimate, check.lower, check.upper))
  if (check.estimate === null || span === null) return reason
  const limit = limitText(check.limit, unit)
  const subject = `${label}${sliceText(check)} is ${span}`
  return verdict === 'fail'
    ? `${subject}: the whole bound is outside the limit, ${limit}.`
    : `${subject}; the limit, ${limit}, lies inside${outlook}.`
}

export function sliceText({ slice }: Pick<CheckResult, 'slice'>): string {
  return slice === undefined || slice === '' ? '' : ` in ${slice.replace('=', ' ')}`
}

/** `6,400 more observations, about 3 h`. */
export function forecastText({ observations, hours }: Forecast): string {
  return `${formatCount(observations)} more observation${observations === 1 ? '' : 's'}, about ${formatSpan(Math.max(1000, hours * 3_600_000))}`
}
