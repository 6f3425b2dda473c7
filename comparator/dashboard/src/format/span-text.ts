import type { Unit } from '../metrics/metric-info.ts'
import { noBreak } from './no-break.ts'
import { type Digits, formatValue, signed } from './number.ts'

/**
 * Two ends with the unit once: `231 to 262 ms`; one end: `≤ 262 ms`; `null` if there is neither. `isSigned`: adds a +
 * to positive values.
 */
export function spanText(
  { lower, upper }: { lower: number | null; upper: number | null },
  unit: Unit,
  digits: Digits | undefined,
  isSigned = false,
): string | null {
  const value = (number: number) => signed(formatValue(number, unit, digits), isSigned)
  if (lower === null) return upper === null ? null : noBreak(`≤ ${value(upper)}`)
  if (upper === null) return noBreak(`≥ ${value(lower)}`)
  const [first, last] = [value(lower), value(upper)]
  const ending = /\s[^\s\d]+$/.exec(first)?.[0]
  return `${ending !== undefined && last.endsWith(ending) ? first.slice(0, -ending.length) : first} to ${last}`
}
