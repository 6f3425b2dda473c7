import { isUtf8 } from 'node:buffer'
import { parseExactly } from '../../../vocabulary/json/parse-exactly.ts'
import { stepsOf } from '../../../vocabulary/mapping/pointer-steps.ts'
import { withoutByteOrderMark } from '../../compare/read/decode-body.ts'
import { redacted, redactForm } from './redact-fields.ts'

/** Content types without fields to redact. SVG is text, and may have some. */
const media = /^\s*(image\/(?!svg)|audio\/|video\/)/i
const form = /^\s*application\/x-www-form-urlencoded\b/i

/**
 * Replaces what the pointers name in a JSON body or a form by `"[redacted]"` (RFC 6901; `*` stands for any one step).
 * Returns `null` for a body that cannot be searched. Images, audio and video pass unchanged.
 */
export function redactBody(body: Buffer, contentType = '', pointers: readonly string[]): Buffer | null {
  if (pointers.length === 0 || body.length === 0) return body
  const cleaned = redactJson(body, pointers)
  if (cleaned !== null) return cleaned
  if (form.test(contentType)) return isUtf8(body) ? Buffer.from(redactForm(body.toString(), pointers)) : null
  return media.test(contentType) ? body : null
}

/** Whatever its content type, since clients send JSON under many; `null` if it is not JSON. */
function redactJson(body: Buffer, pointers: readonly string[]): Buffer | null {
  try {
    const document = parseExactly(withoutByteOrderMark(body.toString()), JSON.rawJSON)
    for (const pointer of pointers) redactAt(document, stepsOf(pointer))
    return Buffer.from(JSON.stringify(document))
  } catch {
    return null
  }
}

function redactAt(node: unknown, [step, ...rest]: string[]): void {
  // integers kept as they were spelled (JSON.rawJSON) are frozen objects
  if (node === null || typeof node !== 'object' || Object.isFrozen(node)) return
  const keys = step === '*' ? Object.keys(node) : Object.hasOwn(node, step!) ? [step!] : []
  for (const key of keys) {
    if (rest.length > 0) redactAt((node as Record<string, unknown>)[key], rest)
    // assigning to the key `__proto__` would set the prototype
    else Object.defineProperty(node, key, { value: redacted, enumerable: true, configurable: true, writable: true })
  }
}
