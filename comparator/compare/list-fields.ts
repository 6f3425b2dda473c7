import type { CutText, FieldGroup, FieldsPair, FieldView } from '../../vocabulary/api/answer-pair.ts'
import type { JsonMapping } from '../../vocabulary/mapping/mapping-kinds.ts'
import { isEqual, typeOf } from './compare-json.ts'
import type { Place } from './field-paths.ts'
import { countFields, keysIn } from './read/count-fields.ts'
import { type Ignoring, ignoring, ignoringAt } from './read/ignored-paths.ts'
import type { JsonReading } from './read/read-json.ts'
import { escapeToken } from './read/resolve-pointer.ts'
import { spellJson } from './spell-json.ts'

export const fieldsShownMax = 200
const setAsideShownMax = 50
const pathCharsMax = 300
const valueCharsMax = 400

/** The values of both sides at a place; `undefined` if that side has no such field. */
interface Pair {
  primary: unknown
  candidate: unknown
  ignored: Ignoring | null
  place: Place | null
}

/**
 * Lists two documents' fields in their own order, counted as by `compareJson`, with each place and both values: those
 * that differ, those that are equal only within the tolerance, and those that are ignored.
 */
export function listFields(
  { document: primary }: JsonReading,
  { document: candidate }: JsonReading,
  { ignore, tolerance }: Pick<JsonMapping, 'ignore' | 'tolerance'>,
): FieldsPair {
  const differing = new Shown(fieldsShownMax)
  const tolerated = new Shown(setAsideShownMax)
  const ignored = new Shown(setAsideShownMax)
  let equal = 0
  const open: Pair[] = [{ primary, candidate, ignored: ignoring(ignore), place: null }]
  while (open.length > 0) {
    const pair = open.pop()!
    const { primary: p, candidate: c } = pair
    if (pair.ignored === null) {
      ignored.add(pair, howOf(p, c), 1)
      continue
    }
    if (p === undefined || c === undefined || typeOf(p) !== typeOf(c)) {
      const fieldsOf = (value: unknown) => (value === undefined ? 0 : countFields(value, pair.ignored!))
      differing.add(pair, howOf(p, c), Math.max(fieldsOf(p), fieldsOf(c)))
      continue
    }
    const steps = keysIn(p)
    if (steps !== null) {
      const all = withOwn(steps, keysIn(c)!)
      if (all.length === 0) equal++
      for (const step of all.reverse()) open.push(childOf(pair, pair.ignored, step))
    } else if (p === c) equal++
    else if (isEqual(p, c, tolerance)) {
      equal++
      tolerated.add(pair, 'valueChanged', 1)
    } else differing.add(pair, 'valueChanged', 1)
  }
  return { kind: 'fields', equal, tolerance, ignore, differing, tolerated, ignored }
}

/** Counts all fields, and shows them up to a limit. */
class Shown implements FieldGroup {
  count = 0
  places = 0
  readonly shown: FieldView[] = []
  readonly #shownMax: number

  constructor(shownMax: number) {
    this.#shownMax = shownMax
  }

  add({ place, primary, candidate }: Pair, how: FieldView['how'], fields: number): void {
    if (fields === 0) return
    this.count += fields
    this.places++
    if (this.shown.length < this.#shownMax) {
      this.shown.push({ path: pathOf(place), how, primary: cutJson(primary), candidate: cutJson(candidate) })
    }
  }
}

function howOf(primary: unknown, candidate: unknown): FieldView['how'] {
  if (candidate === undefined) return 'missing'
  if (primary === undefined) return 'extra'
  if (typeOf(primary) !== typeOf(candidate)) return 'typeChanged'
  return keysIn(primary) === null && primary === candidate ? 'equal' : 'valueChanged'
}

function withOwn(steps: string[], others: string[]): string[] {
  const known = new Set(steps)
  return [...steps, ...others.filter((step) => !known.has(step))]
}

function childOf({ primary, candidate, place }: Pair, within: Ignoring, step: string): Pair {
  return {
    primary: ownOf(primary, step),
    candidate: ownOf(candidate, step),
    ignored: ignoringAt(within, step),
    place: { parent: place, token: step },
  }
}

function ownOf(document: unknown, step: string): unknown {
  return Object.hasOwn(document as object, step) ? (document as Record<string, unknown>)[step] : undefined
}

/** The place as a pointer, shortened at its start, as the end of a path says more. */
function pathOf(place: Place | null): string {
  let path = ''
  for (let at = place; at !== null; at = at.parent) {
    path = `/${escapeToken(at.token)}${path}`
    if (path.length > pathCharsMax) return `…${path.slice(-pathCharsMax)}`
  }
  return path
}

function cutJson(value: unknown): CutText | null {
  return value === undefined ? null : spellJson(value, valueCharsMax)
}
