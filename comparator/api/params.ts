import { Type } from 'typebox'
import type { Comparator, KnownValidation } from '../jobs/comparator.ts'
import { failure } from '../jobs/errors.ts'

export const ByName = Type.Object({ name: Type.String() })
export const Uuid = Type.String({ pattern: '^[0-9a-fA-F-]{36}$' })

export function validationNamed({ validations }: Comparator, name: string): KnownValidation {
  const validation = validations.get(name)
  if (!validation)
    throw failure('NOT_FOUND', `no validation ${name}; configured: ${[...validations.keys()].join(', ')}`)
  return validation
}
