import { parseExactly } from '../../vocabulary/json/parse-exactly.ts'
import { stepsOf } from '../../vocabulary/mapping/pointer-steps.ts'
import type { RouteConfig } from '../config/route.ts'
import { type Fields, fieldValue } from '../http1/fields.ts'

const idLengthMax = 500

/**
 * The id by which labels are joined and sampling is stable: from the configured header, else from `x-request-id`, else
 * undefined.
 */
export function correlationFromHeaders(fields: Fields, source: RouteConfig['correlation']) {
  const named = 'header' in source ? fieldValue(fields, source.header.toLowerCase()) : undefined
  return idOf(named) ?? idOf(fieldValue(fields, 'x-request-id'))
}

/** Undefined if the body is not JSON or has no string or number there. */
export function correlationFromBody(body: Buffer | string, pointer: string): string | undefined {
  try {
    // a 64-bit id parsed as a number would lose its last digits, and labels would miss its exchange
    let node = parseExactly(body.toString(), String)
    for (const key of stepsOf(pointer)) {
      if (node === null || typeof node !== 'object' || !Object.hasOwn(node, key)) return undefined
      node = (node as Record<string, unknown>)[key]
    }
    return idOf(typeof node === 'number' ? String(node) : node)
  } catch {
    return undefined
  }
}

const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > 0 ? value.slice(0, idLengthMax) : undefined
