import { elementsMax } from '../answer.ts'

/**
 * The items of an array and of all arrays nested in it, in order; `null` for more than `elementsMax` items, and for
 * anything but an array. Iterative, since a hostile body may be nested deeper than the stack.
 */
export function flatten(items: unknown): unknown[] | null {
  if (!Array.isArray(items)) return null
  const flat: unknown[] = []
  const open: { items: readonly unknown[]; next: number }[] = [{ items, next: 0 }]
  while (open.length > 0) {
    const level = open.at(-1)!
    if (level.next === level.items.length) {
      open.pop()
      continue
    }
    const item = level.items[level.next++]
    if (Array.isArray(item)) open.push({ items: item, next: 0 })
    else if (flat.length < elementsMax) flat.push(item)
    else return null
  }
  return flat
}
