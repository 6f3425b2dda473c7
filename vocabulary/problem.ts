import { type Static, Type } from 'typebox'
import { named, Text } from './schema.ts'

export const ErrorBody = named('ErrorBody', 'Every error that the API answers with.', {
  code: Text('stable; docs/ERRORS.md says what each means'),
  message: Text('what was expected, in words that may change'),
  details: Type.Optional(Type.Unknown({ description: 'what a program may want to know beside the code, or null' })),
})
export type ErrorBody = Static<typeof ErrorBody>
