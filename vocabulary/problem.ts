import { type Static, Type } from 'typebox'

/** Every error that the API answers with. `code` is stable; `message` says what was expected. */
export const ErrorBody = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Unknown()),
})
export type ErrorBody = Static<typeof ErrorBody>
