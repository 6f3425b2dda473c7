import type { Bounded } from '../../vocabulary/bounded.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'

export interface Limit {
  min?: number
  max?: number
}

/**
 * `pass` where the whole bound is inside the limit, `fail` where it is wholly outside, `inconclusive` between and
 * wherever a number that it would take is missing or not finite.
 */
export function judgeBound(bound: Omit<Bounded, 'n'>, { min, max }: Limit): Verdict {
  const estimate = numberIn(bound.estimate)
  const lower = numberIn(bound.lower)
  const upper = numberIn(bound.upper)
  if (estimate === null || (min === undefined && max === undefined)) return 'inconclusive'
  if ((min !== undefined && upper !== null && upper < min) || (max !== undefined && lower !== null && lower > max)) {
    return 'fail'
  }
  const isAboveMin = min === undefined || (lower !== null && lower >= min)
  const isBelowMax = max === undefined || (upper !== null && upper <= max)
  return isAboveMin && isBelowMax ? 'pass' : 'inconclusive'
}

/** All of them: one failure fails, else one doubt is a doubt. Nothing at all is a doubt. */
export function allOf(verdicts: Verdict[]): Verdict {
  if (verdicts.includes('fail')) return 'fail'
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'pass') ? 'pass' : 'inconclusive'
}

function numberIn(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}
