import type { JsonMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { FieldPaths, type Place } from './field-paths.ts'
import { countFields, keysIn } from './read/count-fields.ts'
import { type Ignoring, ignoring, ignoringAt } from './read/ignored-paths.ts'
import type { JsonReading } from './read/read-json.ts'

/**
 * How two documents differ, counted in fields: the scalars, empty arrays and empty objects of either document.
 * `fields = equal + missing + extra + typeChanged + valueChanged`.
 */
export interface JsonDifferences {
  kind: 'json'
  fields: number
  equal: number
  /** Only in the primary's document. */
  missing: number
  /** Only in the candidate's document. */
  extra: number
  /**
   * With another JSON type; an array or object counts with its fields, and of the two sides the larger number counts.
   */
  typeChanged: number
  valueChanged: number
  /** The places of differing fields, each once, as RFC 6901 pointers with `*` for array indexes; bounded in number. */
  paths: string[]
  primaryFields: number
  candidateFields: number
}

type Rules = Pick<JsonMapping, 'ignore' | 'tolerance'>

interface Pair {
  primary: unknown
  candidate: unknown
  ignored: Ignoring
  place: Place | null
}

/** Compares field by field, arrays by position. Iterative, since a hostile body may be nested deeper than the stack. */
export function compareJson(primary: JsonReading, candidate: JsonReading, rules: Rules): JsonDifferences {
  const counts = { equal: 0, missing: 0, extra: 0, typeChanged: 0, valueChanged: 0 }
  const paths = new FieldPaths()
  const differs = (how: keyof typeof counts, fields: number, place: Place | null) => {
    counts[how] += fields
    if (fields > 0) paths.add(place)
  }
  const open: Pair[] = [
    { primary: primary.document, candidate: candidate.document, ignored: ignoring(rules.ignore), place: null },
  ]
  while (open.length > 0) {
    const { primary, candidate, ignored, place } = open.pop()!
    const type = typeOf(primary)
    if (type !== typeOf(candidate)) {
      differs('typeChanged', Math.max(countFields(primary, ignored), countFields(candidate, ignored)), place)
      continue
    }
    const steps = keysIn(primary)
    if (steps === null) {
      if (isEqual(primary, candidate, rules.tolerance)) counts.equal++
      else differs('valueChanged', 1, place)
      continue
    }
    const [p, c] = [primary as Record<string, unknown>, candidate as Record<string, unknown>]
    const stepsOfCandidate = keysIn(candidate)!
    if (steps.length === 0 && stepsOfCandidate.length === 0) counts.equal++
    const isArray = type === 'array'
    for (const step of steps) {
      const within = ignoringAt(ignored, step)
      if (within === null) continue
      const there = { parent: place, token: isArray ? '*' : step }
      if (Object.hasOwn(c, step)) open.push({ primary: p[step], candidate: c[step], ignored: within, place: there })
      else differs('missing', countFields(p[step], within), there)
    }
    for (const step of stepsOfCandidate) {
      if (Object.hasOwn(p, step)) continue
      const within = ignoringAt(ignored, step)
      const there = { parent: place, token: isArray ? '*' : step }
      if (within !== null) differs('extra', countFields(c[step], within), there)
    }
  }
  const fields = counts.equal + counts.missing + counts.extra + counts.typeChanged + counts.valueChanged
  const sizes = { primaryFields: primary.fields, candidateFields: candidate.fields }
  return { kind: 'json', fields, ...counts, paths: paths.toArray(), ...sizes }
}

/** Numbers are equal within `max(absolute, relative · max(|p|, |c|))`, which is symmetric. */
export function isEqual(primary: unknown, candidate: unknown, { absolute, relative }: Rules['tolerance']): boolean {
  if (primary === candidate) return true
  if (!isNumber(primary) || !isNumber(candidate)) return false
  const [p, c] = [Number(primary), Number(candidate)]
  const apart = typeof primary === 'bigint' && typeof candidate === 'bigint' ? Number(candidate - primary) : c - p
  const greater = Math.max(Math.abs(p), Math.abs(c))
  return Number.isFinite(greater) && Math.abs(apart) <= Math.max(absolute, relative * greater)
}

/** Integers that a double cannot represent are parsed as bigints. */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (isNumber(value)) return 'number'
  return Array.isArray(value) ? 'array' : typeof value
}
