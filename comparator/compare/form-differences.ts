import { keysIn } from './read/count-fields.ts'
import { escapeToken } from './read/resolve-pointer.ts'

/** What stands where in a document, by pointers with `*` for the items of an array; `any` for null and for a mixture. */
type Form = Map<string, string>

/** A larger document is not looked at. */
const valuesMax = 10_000
const placeCharsMax = 200

const words: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
}

/**
 * How the candidate's answers differ in form from the primary's, in all of these pairs: fields that they lack, and
 * values of another type. Further fields of the candidate's disturb no client.
 */
export function formDifferences(pairs: readonly { primary: unknown; candidate: unknown }[]): string[] {
  const forms = pairs.map(({ primary, candidate }) => ({ primary: formOf(primary), candidate: formOf(candidate) }))
  const differences: string[] = []
  for (const [place, expected] of forms[0]?.primary ?? []) {
    if (expected === 'any') continue
    const found = forms.map(({ primary, candidate }) => {
      if (primary.get(place) !== expected) return 'any'
      const parent = place.slice(0, place.lastIndexOf('/'))
      // nothing is known of the items of an empty list
      const isLacking = primary.get(parent) === 'object' && candidate.get(parent) === 'object'
      return candidate.get(place) ?? (isLacking ? 'nothing' : 'any')
    })
    if (found.some((type) => type === 'any' || type === expected)) continue
    const where = place === '' ? 'as the whole body' : `at ${place}`
    differences.push(`${words[found[0]!] ?? 'nothing'} ${where}, where the primary has ${words[expected]}`)
  }
  return differences
}

/** Iterative, since a hostile body may be nested deeper than the stack. */
function formOf(document: unknown): Form {
  const form: Form = new Map()
  const open = [{ value: document, place: '' }]
  for (let visited = 0; open.length > 0; visited++) {
    const { value, place } = open.pop()!
    const keys = keysIn(value) ?? []
    if (visited + open.length + keys.length > valuesMax) return new Map()
    const type = value === null ? 'any' : Array.isArray(value) ? 'array' : typeof value
    form.set(place, (form.get(place) ?? type) === type ? type : 'any')
    for (const key of keys) {
      const within = `${place}/${Array.isArray(value) ? '*' : escapeToken(key)}`
      if (within.length <= placeCharsMax) open.push({ value: (value as Record<string, unknown>)[key], place: within })
    }
  }
  return form
}
