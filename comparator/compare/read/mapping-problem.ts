import type { Leg } from '../../../vocabulary/leg.ts'
import { escapeToken, farthest } from './resolve-pointer.ts'

/** What a mapping found instead of an answer. `empty`: no body. `format`: not JSON, or not of the protocol's form. */
type ProblemCode =
  | 'empty'
  | 'format'
  | 'notFound'
  | 'type'
  | 'shape'
  | 'tooLarge'
  | 'unknownLabel'
  | 'zeroVector'
  | 'dimensions'

/** Tells shapes and keys, never values: a body may hold what must be redacted. */
export interface Problem {
  kind: 'problem'
  code: ProblemCode
  /** The configured pointer, followed by the place within what it found, if any. */
  path: string
  expected: string
  found: string
}

/** Why one side's answer could not be compared. */
export interface MappingProblem extends Omit<Problem, 'kind'> {
  leg: Leg
}

export function problem(code: ProblemCode, path: string, expected: string, found: string): Problem {
  return { kind: 'problem', code, path, expected, found }
}

/**
 * The problem of a pointer that found something unexpected, or nothing; in that case it says how far the pointer got.
 */
export function misfit(document: unknown, path: string, found: unknown, expected: string): Problem {
  if (found !== undefined) return problem('type', path, expected, describe(found))
  const { at, value } = farthest(document, path)
  const first = Array.isArray(value) && value.length > 0 ? `, whose first item is ${describe(value[0])}` : ''
  return problem('notFound', path, expected, `nothing: ${at === '' ? 'the body' : at} is ${describe(value)}${first}`)
}

export function spellProblem({ leg, path, expected, found }: MappingProblem): string {
  return `the ${leg}'s ${path === '' ? 'body' : path}: expected ${expected}, found ${found}`
}

const keysShown = 5
const keyCharsShown = 40

/** A key as a problem shows it: short, and storable whatever the body holds. */
function shownKey(key: string): string {
  return key.replaceAll('\0', '').slice(0, keyCharsShown).toWellFormed()
}

/** The pointer to a key of what another found, as advice. */
export const pointerTo = (path: string, key: string): string => `${path}/${escapeToken(shownKey(key))}`

/** A value's type and size. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value === 'string') return `a string of ${value.length} character${value.length === 1 ? '' : 's'}`
  if (typeof value === 'number') return Math.abs(value) > 1e70 ? 'a number too large' : 'a number'
  if (typeof value === 'bigint') return 'a number'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value !== 'object') return `a ${typeof value}`
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an empty object'
  const shown = keys.slice(0, keysShown).map(shownKey)
  return `an object of ${shown.join(', ')}${keys.length > keysShown ? ` and ${keys.length - keysShown} more` : ''}`
}
