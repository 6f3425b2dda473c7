import { formatPlain } from '../format/number.ts'

const elementsMax = 4

/** A number, or the first few of a vector: `0.12, 0.5, 3, 4 … (128 values)`. `elements`: where not all are at hand. */
export function vectorText(value: number | number[], elements?: number): string {
  if (typeof value === 'number') return formatPlain(value)
  const head = value.slice(0, elementsMax).map(formatPlain).join(', ')
  return value.length > elementsMax ? `${head} … (${elements ?? value.length} values)` : head
}
