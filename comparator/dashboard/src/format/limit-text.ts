import type { CheckResult } from '../../../../vocabulary/gate.ts'
import type { Unit } from '../metrics/metric-info.ts'
import { formatExact, formatValue } from './number.ts'

/** A limit as the policy has it, without rounding it to an estimate's digits: `≥ 0.99`, `≤ 250 ms`. */
export function limitText(limit: CheckResult['limit'], unit: Unit): string {
  return [
    limit.min === undefined ? null : `≥ ${limitValue(limit.min, unit)}`,
    limit.max === undefined ? null : `≤ ${limitValue(limit.max, unit)}`,
  ]
    .filter((part) => part !== null)
    .join(' and ')
}

/** Under a bar, beside which all its digits stand: a longer one would lie on what is next to it. */
const labelLengthMax = 14

export function limitLabel(value: number, unit: Unit): string {
  const text = limitValue(value, unit)
  return text.length > labelLengthMax ? formatValue(value, unit) : text
}

export function limitValue(value: number, unit: Unit): string {
  if (unit === 'ms') return `${formatExact(value)} ms`
  if (unit === 'share' || unit === 'percent') return `${formatExact(value * 100)} %`
  return unit === 'none' ? formatExact(value) : formatValue(value, unit)
}
