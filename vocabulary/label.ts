import { type Static, Type } from 'typebox'
import { named } from './schema.ts'

export const Label = named(
  'Label',
  'a validation, a correlationId, and a label (classification) or a value (regression): ground truth for one ' +
    'request, joined to its observations by correlation id, whichever comes first',
  {
    validation: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'the name of a validation, 1 to 200 characters',
    }),
    correlationId: Type.String({
      minLength: 1,
      maxLength: 500,
      description: "the observation's correlation id, 1 to 500 characters",
    }),
    label: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'a text of at most 500 characters: of a classification, the true label',
      }),
    ),
    value: Type.Optional(
      Type.Union([Type.Number(), Type.Array(Type.Number())], {
        description: 'a number, or a list of them: of a regression, what is true',
      }),
    ),
  },
)
export type Label = Static<typeof Label>
