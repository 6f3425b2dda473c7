import type { CheckResult } from '../../vocabulary/api/gate.ts'
import type { Bounded } from '../../vocabulary/bounded.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { finite } from '../metrics/estimates/finite.ts'

export interface Limit {
  min?: number
  max?: number
}

/** A check's result, and a short reason for its verdict. */
export interface Judged {
  result: CheckResult
  /** A clause without a full stop, such as `1,204 of 10,000 samples so far`. */
  reason: string
}

/**
 * `pass` where the whole bound is inside the limit, `fail` where it is wholly outside, `inconclusive` in between and
 * where a number that is needed is missing or not finite.
 */
export function judgeBound(bound: Omit<Bounded, 'n'>, { min, max }: Limit): Verdict {
  const estimate = finite(bound.estimate)
  const lower = finite(bound.lower)
  const upper = finite(bound.upper)
  if (estimate === null || (min === undefined && max === undefined)) return 'inconclusive'
  if ((min !== undefined && upper !== null && upper < min) || (max !== undefined && lower !== null && lower > max)) {
    return 'fail'
  }
  const isAboveMin = min === undefined || (lower !== null && lower >= min)
  const isBelowMax = max === undefined || (upper !== null && upper <= max)
  return isAboveMin && isBelowMax ? 'pass' : 'inconclusive'
}

/** `fail` if any fails, else `pass` if there are any and all pass, else `inconclusive`. */
export function allOf(verdicts: Verdict[]): Verdict {
  if (verdicts.includes('fail')) return 'fail'
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'pass') ? 'pass' : 'inconclusive'
}
