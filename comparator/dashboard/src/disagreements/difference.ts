import type { AnswerView } from '../../../../vocabulary/api.ts'
import { formatPlain } from '../format/number.ts'

/** Candidate − primary for values; the mean absolute difference for vectors; `null` for anything else. */
export function difference(primary: AnswerView | null, candidate: AnswerView | null): string | null {
  if (!primary || !candidate || !('value' in primary) || !('value' in candidate)) return null
  const [p, c] = [primary.value, candidate.value]
  if (typeof p === 'number' && typeof c === 'number') return `${c > p ? '+' : ''}${formatPlain(c - p)}`
  if (!Array.isArray(p) || !Array.isArray(c) || p.length !== c.length || p.length === 0) return null
  const mean = p.reduce((sum, value, index) => sum + Math.abs(c[index]! - value), 0) / p.length
  return `${formatPlain(mean)} mean absolute`
}
