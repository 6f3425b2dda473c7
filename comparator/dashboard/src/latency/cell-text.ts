import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { noBreak } from '../format/no-break.ts'
import { digitsFor, formatTimes, formatValue, signed } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'

export type LatencyRow = 'primary' | 'candidate' | 'delta' | 'ratio' | 'queue'

/** In the unit and with the digits of the bound below it. */
export function valueText(of: LatencyRow, value: number, bound: Bounded | undefined): string {
  const digits = bound && hasAnEnd(bound) ? digitsOf(of, bound) : undefined
  if (of !== 'ratio') return signed(formatValue(value, 'ms', digits), of === 'delta')
  return noBreak(`× ${digits === undefined ? formatTimes(value) : formatValue(value, 'none', digits)}`)
}

/** Without the unit, which the value above it has. */
export function boundText(of: LatencyRow, bound: Bounded): string {
  return spanText(bound, unitOf(of), digitsOf(of, bound))?.replace(/\sms$/, '') ?? ''
}

const hasAnEnd = ({ lower, upper }: Bounded) => lower !== null || upper !== null
const unitOf = (of: LatencyRow) => (of === 'ratio' ? 'none' : 'ms')
const digitsOf = (of: LatencyRow, { estimate, lower, upper }: Bounded) => digitsFor(estimate, lower, upper, unitOf(of))
