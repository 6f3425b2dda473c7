import type { TSchema } from 'typebox'
import { type Bytes, parseSize } from '../../vocabulary/units.ts'
import type { ConfigProblem } from './problem.ts'

/** Finds problems that a schema cannot express. Its input may not fit the schema; it skips what it cannot read. */
type SemanticCheck = (value: unknown, path: string) => ConfigProblem[]

const checks = new WeakMap<TSchema, SemanticCheck>()

/** Adds a check to a section's schema; its problems are reported together with the schema's own. */
export function withSemantics<Schema extends TSchema>(schema: Schema, check: SemanticCheck): Schema {
  checks.set(schema, check)
  return schema
}

export function semanticProblems(schema: TSchema, value: unknown, path: string): ConfigProblem[] {
  return checks.get(schema)?.(value, path) ?? []
}

export type Loose = Record<string, unknown>

/** The objects in a list, each with its path; empty if it is not a list. */
export function objectsIn(list: unknown, path: string): { item: Loose; path: string }[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item, i) =>
    item !== null && typeof item === 'object' ? [{ item: item as Loose, path: `${path}[${i}]` }] : [],
  )
}

/** Every item whose `key` repeats that of an earlier item, compared by `meaning`. */
export function repeated(
  items: readonly { item: Loose; path: string }[],
  key: string,
  expected: string,
  meaning = (value: unknown): unknown => value,
): ConfigProblem[] {
  const seen = new Set<unknown>()
  return items.flatMap(({ item, path }) => {
    const value = item[key]
    const meant = meaning(value)
    if (value === undefined || !seen.has(meant)) {
      seen.add(meant)
      return []
    }
    return [{ path: `${path}.${key}`, value, expected }]
  })
}

/** Parses a size in bytes; NaN if it is not one, which compares as neither more nor less. */
export function sizeIn(value: unknown): Bytes {
  try {
    return parseSize(String(value))
  } catch {
    return Number.NaN
  }
}
