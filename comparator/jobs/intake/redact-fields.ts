import { pathsOverlap, stepsOf } from '../../../vocabulary/mapping/pointer-steps.ts'

export const redacted = '[redacted]'

/** Matches names of query parameters that carry credentials, once in lower case and without `-`, `_` and `.`. */
const credential =
  /^(key|sig|pwd|pass|auth|code|sid|session|sessionid|jwt)$|(token|secret|password|passwd|passphrase|credentials?|signature|apikey|accesskey|secretkey|privatekey|subscriptionkey|authorization|jwt|bearer)$/

/** The path with its query. Redacts parameters that pointers name, and those with the name of a credential. */
export function redactPath(path: string, pointers: readonly string[]): string {
  const start = path.indexOf('?') + 1
  if (start === 0) return path
  const isNamed = namedBy(pointers)
  const isSecret = (name: string) => isNamed(name) || credential.test(name.toLowerCase().replaceAll(/[-_.]/g, ''))
  return path.slice(0, start) + redactFields(path.slice(start), isSecret)
}

/** A form (`application/x-www-form-urlencoded`) with the fields redacted that pointers name. */
export function redactForm(form: string, pointers: readonly string[]): string {
  return redactFields(form, namedBy(pointers))
}

/**
 * To some servers `;` separates fields, to others it is part of a value. So a field's name is looked for after a `;`
 * too, but a redacted value extends to the next `&`.
 */
function redactFields(fields: string, isSecret: (name: string) => boolean): string {
  const redactField = (field: string) => {
    for (const { 0: start, 1: name, index } of field.matchAll(/(?:^|;)([^=;]*)=/g)) {
      if (isSecret(decode(name!))) return field.slice(0, index + start.length) + redacted
    }
    return field
  }
  return fields.split('&').map(redactField).join('&')
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** `/user/name` names the field `user[name]`. A field that contains the named one is redacted as a whole. */
function namedBy(pointers: readonly string[]): (name: string) => boolean {
  const named = pointers.map(stepsOf)
  return (name) => {
    const [first, ...within] = name.split(/[[\]]+/)
    const steps = [first!, ...within.filter((step) => step !== '')]
    return named.some((pointer) => pathsOverlap(pointer, steps))
  }
}
