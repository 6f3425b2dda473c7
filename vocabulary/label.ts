import { type Static, Type } from 'typebox'

/** Ground truth for one request, joined to its observations by correlation id, whichever comes first. */
export const Label = Type.Object(
  {
    validation: Type.String({ minLength: 1, maxLength: 200 }),
    correlationId: Type.String({ minLength: 1, maxLength: 500 }),
    label: Type.Optional(Type.String({ maxLength: 500 })),
    value: Type.Optional(Type.Union([Type.Number(), Type.Array(Type.Number())])),
  },
  { description: 'a validation, a correlationId, and a label (classification) or a value (regression)' },
)
export type Label = Static<typeof Label>
