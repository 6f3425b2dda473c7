import { type Static, Type } from 'typebox'
import { named, Text } from './schema.ts'

export const ErrorBody = named('ErrorBody', 'Every error that the API answers with.', {
  code: Text('stable; docs/ERRORS.md says what each means'),
  message: Text('what was expected; the wording may change'),
  details: Type.Optional(Type.Unknown({ description: 'further details for programs, or null' })),
})
export type ErrorBody = Static<typeof ErrorBody>
