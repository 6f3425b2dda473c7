import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { decimalsFor, formatValue } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'

export type LatencyRow = 'primary' | 'candidate' | 'delta' | 'ratio' | 'queue'

/** In the unit of the bound under it, which has none of its own. */
export function valueText(of: LatencyRow, value: number, bound: Bounded | undefined): string {
  if (of === 'ratio') return `× ${value.toFixed(2)}`
  const text = formatValue(value, 'ms', bound && hasAnEnd(bound) ? decimalsOf(bound) : undefined)
  return of === 'delta' && value > 0 ? `+${text}` : text
}

export function boundText(of: LatencyRow, bound: Bounded): string {
  return spanText(bound, 'none', of === 'ratio' ? 2 : decimalsOf(bound)) ?? ''
}

const hasAnEnd = ({ lower, upper }: Bounded) => lower !== null || upper !== null
const decimalsOf = ({ estimate, lower, upper }: Bounded) => decimalsFor(estimate, lower, upper)
