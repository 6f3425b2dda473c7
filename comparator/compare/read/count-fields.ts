import { type Ignoring, ignoringAt } from './ignored-paths.ts'

/** A document with more fields is unmapped: the time of a comparison grows with its size. */
export const fieldsMax = 200_000

/**
 * Counts the scalars, empty arrays and empty objects of a document that are not ignored, up to `fieldsMax` + 1.
 * Iterative, since a hostile body may be nested deeper than the stack.
 */
export function countFields(document: unknown, ignored: Ignoring): number {
  let fields = 0
  let visited = 0
  const open: { value: unknown; ignored: Ignoring }[] = [{ value: document, ignored }]
  while (open.length > 0) {
    const { value, ignored } = open.pop()!
    if (++visited > 4 * fieldsMax || fields > fieldsMax) return fieldsMax + 1
    const keys = keysIn(value)
    if (keys === null || keys.length === 0) {
      fields++
      continue
    }
    if (keys.length > fieldsMax) return fieldsMax + 1
    for (const key of keys) {
      const within = ignoringAt(ignored, key)
      if (within !== null) open.push({ value: (value as Record<string, unknown>)[key], ignored: within })
    }
  }
  return fields
}

/** The keys of an object or the indexes of an array; `null` for a scalar. */
export function keysIn(value: unknown): string[] | null {
  return typeof value === 'object' && value !== null ? Object.keys(value) : null
}
