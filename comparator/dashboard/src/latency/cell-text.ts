import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { noBreak } from '../format/no-break.ts'
import { digitsFor, formatTimes, formatValue, signed, timesDigits } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'

export type LatencyRow = 'primary' | 'candidate' | 'delta' | 'ratio' | 'queue'

/** In the unit and with the digits of the bound below it. */
export function valueText(of: LatencyRow, value: number, bound: Bounded | undefined): string {
  if (of === 'ratio') return noBreak(`× ${formatTimes(value)}`)
  return signed(formatValue(value, 'ms', bound && hasAnEnd(bound) ? digitsOf(bound) : undefined), of === 'delta')
}

/** Without the unit, which the value above it has. */
export function boundText(of: LatencyRow, bound: Bounded): string {
  if (of === 'ratio') return spanText(bound, 'none', timesDigits(bound.estimate ?? 0)) ?? ''
  return spanText(bound, 'ms', digitsOf(bound))?.replace(/\sms$/, '') ?? ''
}

const hasAnEnd = ({ lower, upper }: Bounded) => lower !== null || upper !== null
const digitsOf = ({ estimate, lower, upper }: Bounded) => digitsFor(estimate, lower, upper, 'ms')
