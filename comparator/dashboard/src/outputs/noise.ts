import type { Bounded } from '../../../../vocabulary/bounded.ts'

/** `within`: the two bounds overlap, so the metric cannot be distinguished from the noise floor. */
export type AgainstNoise = 'apart' | 'within' | 'untold'

export function againstNoise(measured: Bounded, floor: Bounded | undefined): AgainstNoise {
  if (!isBounded(measured) || floor === undefined || !isBounded(floor)) return 'untold'
  return measured.lower > floor.upper || measured.upper < floor.lower ? 'apart' : 'within'
}

function isBounded(value: Bounded): value is Bounded & { lower: number; upper: number } {
  return value.lower !== null && value.upper !== null
}
