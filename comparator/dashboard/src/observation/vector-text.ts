import { formatPlain } from '../format/number.ts'

const elementsMax = 4

/**
 * A number, or the first few of a vector: `0.12, 0.5, 3, 4 … (128 values)`. `elements`: the total, if `value` is only a
 * part.
 */
export function vectorText(value: number | (number | null)[], elements?: number): string {
  return typeof value === 'number' ? formatPlain(value) : headText(value, formatPlain, 'values', elements)
}

/** The first few of a list; unknown ones are dashes. */
export function headText<Item>(
  list: readonly (Item | null)[],
  textOf: (item: Item) => string,
  noun: string,
  count = list.length,
): string {
  const head = list.slice(0, elementsMax).map((item) => (item === null ? '–' : textOf(item)))
  return `${head.join(', ')}${list.length > elementsMax ? ` … (${count} ${noun})` : ''}`
}
