import type { CheckResult, GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'
import { limitText } from '../format/limit-text.ts'
import { digitsFor } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'
import { formatSpan } from '../format/time.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { failuresClause } from './failures-clause.ts'
import { isNoiseFloor } from './noise-floor.ts'
import { outlookClause } from './outlook-words.ts'
import { heldClause } from './recent-words.ts'
import { standstillOf } from './standstill.ts'

/**
 * The deciding sentence in the reader's words, with the deciding check's figures as stored in the evaluation. If no
 * single check decides, the evaluation's own reason is used. `standstill`: why there can be no forecast.
 */
export function verdictSentence(
  { verdict, reason, checks }: Pick<GateEvaluation, 'verdict' | 'reason' | 'checks'>,
  standstill: string | null = null,
): string {
  const check = checks.find(({ decides }) => decides)
  if (check === undefined || verdict === 'pass') return reason
  const outlook = outlookClause(check, standstill)
  if (evidenceChecks.includes(check.metric)) return `${ofEvidence(check, reason)}${outlook}.`
  const { label, unit } = checkInfo(check)
  const subject = `${label}${sliceText(check)}`
  const span = spanText(check, unit, digitsFor(check.estimate, check.lower, check.upper, unit, check.limit))
  if (check.estimate === null) return `${subject} has no evidence yet${standstill === null ? '' : outlook}.`
  if (span === null) return `${subject} has too little evidence for a bound${outlook}.`
  const held = heldClause(check)
  if (held !== null) return `${subject} ${held}.`
  const limit = limitText(check.limit, unit)
  const why = failuresClause(check)
  return verdict === 'fail'
    ? `${subject} is ${span}, wholly outside the limit (${limit})${why}.`
    : `${subject} is ${span}, which straddles the limit (${limit})${why}${outlook}.`
}

/** The same for a validation in a list, which contains only the deciding check. */
export function validationSentence(
  validation: Pick<
    ValidationView,
    'verdict' | 'reason' | 'glance' | 'arriving' | 'lastObservationAt' | 'exchanges' | 'noiseFloorOf' | 'policy'
  >,
): string {
  const { verdict, reason, glance, noiseFloorOf } = validation
  if (isNoiseFloor(validation)) {
    return `The primary against itself: the noise floor for ${noiseFloorOf.join(' and ')}. It has no verdict of its own.`
  }
  return verdictSentence(
    { verdict, reason, checks: glance.decides === null ? [] : [glance.decides] },
    standstillOf(validation),
  )
}

function ofEvidence({ metric, estimate, limit }: CheckResult, reason: string): string {
  if (metric === 'duration' && estimate !== null && limit.min !== undefined) {
    return `The evidence spans ${formatSpan(estimate)} of ${formatSpan(limit.min)}`
  }
  return reason.replace(/\.$/, '')
}

function sliceText({ slice }: Pick<CheckResult, 'slice'>): string {
  return slice === undefined || slice === '' ? '' : ` in ${slice.replace('=', ' ')}`
}
