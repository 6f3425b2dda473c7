import { type Static, type TSchema, Type } from 'typebox'
import { named, nullable, ValidationName } from './schema.ts'

/** One value, or for a request of several rows a list with one per row, `null` if unknown. */
export const OneOrRows = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Array(nullable(schema))], { description })

export const Label = named(
  'Label',
  'a validation, a correlationId, and a label (classification) or a value (regression): ground truth for one ' +
    'request, joined to its observations by correlation id, whichever comes first; of a request of several rows a list, which may come in parts',
  {
    validation: ValidationName,
    correlationId: Type.String({
      minLength: 1,
      maxLength: 500,
      description: "the observation's correlation id, 1 to 500 characters",
    }),
    label: Type.Optional(
      OneOrRows(
        Type.String({ maxLength: 200, description: 'a text of at most 200 characters' }),
        'a text of at most 200 characters: of a classification, the true label; of several rows a list, one a row, null ' +
          'where it is not known',
      ),
    ),
    value: Type.Optional(
      OneOrRows(
        Type.Number(),
        'a number, or a list of them: of a regression, what is true; in a list, null where it is not known',
      ),
    ),
  },
)
export type Label = Static<typeof Label>
