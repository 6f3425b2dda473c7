import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { decimalsFor, formatValue } from '../format/number.ts'

export type LatencyRow = 'primary' | 'candidate' | 'delta' | 'ratio' | 'queue'

/** In the unit of the bound under it, which has none of its own. */
export function valueText(of: LatencyRow, value: number, bound: Bounded | undefined): string {
  if (of === 'ratio') return `× ${value.toFixed(2)}`
  const text = formatValue(value, 'ms', bound && hasBothEnds(bound) ? decimalsOf(bound) : undefined)
  return of === 'delta' && value > 0 ? `+${text}` : text
}

export function boundText(of: LatencyRow, bound: Bounded): string {
  if (!hasBothEnds(bound)) return ''
  const decimals = of === 'ratio' ? 2 : decimalsOf(bound)
  return `${formatValue(bound.lower, 'none', decimals)} to ${formatValue(bound.upper, 'none', decimals)}`
}

const hasBothEnds = ({ lower, upper }: Bounded) => lower !== null && upper !== null
const decimalsOf = ({ estimate, lower, upper }: Bounded) => decimalsFor(estimate, lower, upper)
