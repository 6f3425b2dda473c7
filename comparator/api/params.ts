import { Type } from 'typebox'
import { uuidPattern } from '../../vocabulary/observation.ts'
import { parseInstant } from '../../vocabulary/parse-instant.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { Comparator, KnownValidation } from '../jobs/comparator.ts'
import { failure, refusedParameter } from '../jobs/errors.ts'

export const ByName = Type.Object({ name: Type.String({ description: 'the name of a validation' }) })
export const Uuid = (of: string) => Type.String({ pattern: uuidPattern, description: `a UUID: ${of}` })
/** A serial number from the database. */
export const Serial = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `a whole number ≥ 0: ${description}` })
/** A text without NUL, which PostgreSQL cannot store. */
export const Text = (maxLength: number, options: { default?: string; description: string }) =>
  Type.String({ maxLength, pattern: '^[^\\u0000]*$', ...options })

/** Within these years the database and JavaScript write dates alike, also those computed from them. */
const [earliest, latest] = [Date.UTC(1970), Date.UTC(9999)]

/** RFC 3339, or less: a day alone, or a time without a zone. */
const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i

/** Parses a time; UTC where it has no zone, whatever the server's own. Throws `BAD_REQUEST`. */
export function parseTime(name: string, text: string): EpochMs {
  // a plus that a client did not encode
  const [form, clock, zone] = timeForm.exec(text.replace(' ', '+')) ?? []
  const time = parseInstant(clock && !zone ? `${form}Z` : `${form}`)
  if (time >= earliest && time < latest) return time
  throw refusedParameter(name, 'a time such as 2026-11-21T08:00:00Z', text)
}

export function validationNamed({ validations }: Comparator, name: string): KnownValidation {
  const validation = validations.get(name)
  if (!validation) {
    throw failure('NOT_FOUND', `no validation ${name}; configured: ${[...validations.keys()].join(', ')}`)
  }
  return validation
}
