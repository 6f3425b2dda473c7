import { stepsOf } from '../../../vocabulary/mapping/pointer-steps.ts'

const arrayIndex = /^(0|[1-9]\d{0,9})$/

/** What an RFC 6901 pointer finds in a parsed JSON document, among own properties; `undefined` if it finds nothing. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  let found = document
  for (const token of tokensOf(pointer)) {
    found = step(found, token)
    if (found === undefined) return undefined
  }
  return found
}

/** How far a pointer gets in a document, and the value there. */
export function farthest(document: unknown, pointer: string): { at: string; value: unknown } {
  let at = ''
  let value = document
  for (const token of tokensOf(pointer)) {
    const next = step(value, token)
    if (next === undefined) break
    at += `/${escapeToken(token)}`
    value = next
  }
  return { at, value }
}

function step(found: unknown, token: string): unknown {
  if (typeof found !== 'object' || found === null) return undefined
  if (Array.isArray(found) && !arrayIndex.test(token)) return undefined
  return Object.hasOwn(found, token) ? (found as Record<string, unknown>)[token] : undefined
}

const tokensByPointer = new Map<string, string[]>()
/** Pointers come from the config, with row indexes put in: few, except for bodies with many rows. */
const pointersMax = 1000

/** A pointer's steps, unescaped. */
export function tokensOf(pointer: string): string[] {
  let tokens = tokensByPointer.get(pointer)
  if (tokens === undefined) {
    if (tokensByPointer.size >= pointersMax) tokensByPointer.clear()
    tokens = stepsOf(pointer)
    tokensByPointer.set(pointer, tokens)
  }
  return tokens
}

export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}
