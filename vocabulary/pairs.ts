import { type Static, Type } from 'typebox'
import { named, nullable } from './schema.ts'

/** `GET /v1/validations/{name}/pairs?limit&output&slice`: a uniform sample of what both sides answered, for a scatter. */
export const PairsView = named('PairsView', {
  /** What the numbers are: the value (regression, of one number), or the top score (classification). */
  of: Type.Enum(['value', 'topScore']),
  units: nullable(Type.String()),
  pairs: Type.Array(Type.Object({ id: Type.String(), primary: Type.Number(), candidate: Type.Number() })),
})
export type PairsView = Static<typeof PairsView>
