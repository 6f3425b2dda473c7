import { formatPlain } from '../format/number.ts'

const elementsMax = 4

/** A number, or the first few of a vector: `0.12, 0.5, 3, 4 … (128 values)`. */
export function vectorText(value: number | number[]): string {
  if (typeof value === 'number') return formatPlain(value)
  const head = value.slice(0, elementsMax).map(formatPlain).join(', ')
  return value.length > elementsMax ? `${head} … (${value.length} values)` : head
}
