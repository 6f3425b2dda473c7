import { isUtf8 } from 'node:buffer'
import { parseExactly } from '../../../vocabulary/parse-exactly.ts'
import { stepsOf } from '../../../vocabulary/pointer-steps.ts'
import { withoutByteOrderMark } from '../../compare/decode-body.ts'
import { redacted, redactForm } from './redact-fields.ts'

/** Declared as what holds no fields. SVG is text. */
const media = /^\s*(image\/(?!svg)|audio\/|video\/)/i
const form = /^\s*application\/x-www-form-urlencoded\b/i

/**
 * Replaces what pointers (RFC 6901; `*` stands for any one step) name in a JSON body, or in a form, by `"[redacted]"`.
 * `null` where that can't be done, since what cannot be searched cannot be cleaned. Pictures and sounds pass.
 */
export function redactBody(body: Buffer, contentType = '', pointers: readonly string[]): Buffer | null {
  if (pointers.length === 0 || body.length === 0) return body
  const cleaned = redactJson(body, pointers)
  if (cleaned !== null) return cleaned
  if (form.test(contentType)) return isUtf8(body) ? Buffer.from(redactForm(body.toString(), pointers)) : null
  return media.test(contentType) ? body : null
}

/** Whatever type was declared: clients send JSON under many. `null` where it is none. */
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
  // an integer that is kept as it was spelled is a frozen object
  if (node === null || typeof node !== 'object' || Object.isFrozen(node)) return
  const keys = step === '*' ? Object.keys(node) : Object.hasOwn(node, step!) ? [step!] : []
  for (const key of keys) {
    if (rest.length > 0) redactAt((node as Record<string, unknown>)[key], rest)
    // an assignment would set the prototype where the key is `__proto__`
    else Object.defineProperty(node, key, { value: redacted, enumerable: true, configurable: true, writable: true })
  }
}
