import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import type { Unit } from '../metrics/metric-info.ts'
import { noBreak } from './no-break.ts'
import { formatExact, formatValue } from './number.ts'

/** A limit as the policy states it, not rounded to an estimate's digits: `≥ 0.99`, `≤ 250 ms`. */
export function limitText(limit: CheckResult['limit'], unit: Unit): string {
  return [
    limit.min === undefined ? null : noBreak(`≥ ${limitValue(limit.min, unit)}`),
    limit.max === undefined ? null : noBreak(`≤ ${limitValue(limit.max, unit)}`),
  ]
    .filter((part) => part !== null)
    .join(' and ')
}

/**
 * Maximum length under a bar, where a longer text would overlap its neighbours; all digits are shown beside the bar.
 */
const labelLengthMax = 14

export function limitLabel(value: number, unit: Unit): string {
  const text = limitValue(value, unit)
  return text.length > labelLengthMax ? formatValue(value, unit) : text
}

export function limitValue(value: number, unit: Unit): string {
  if (unit === 'ms') return noBreak(`${formatExact(value)} ms`)
  if (unit === 'share' || unit === 'percent') return noBreak(`${formatExact(value * 100)} %`)
  return unit === 'none' ? formatExact(value) : formatValue(value, unit)
}
