import { type Static, Type } from 'typebox'
import { Bounded } from './bounded.ts'
import { named, nullable, Time } from './schema.ts'

const closed = { additionalProperties: false }
const DimensionName = Type.String({
  pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,49}$',
  description: 'a name of letters, digits, - and _, at most 50, beginning with a letter',
})

/** A dimension that the user names: a header of the request, or a field of its JSON body. */
export const SliceDefinition = Type.Union(
  [
    Type.Object(
      {
        name: DimensionName,
        header: Type.String({ pattern: '^[a-z0-9-]+$', description: 'a header name in lower case, such as x-tenant' }),
      },
      closed,
    ),
    Type.Object(
      {
        name: DimensionName,
        pointer: Type.String({
          pattern: '^(/([^~/]|~[01])*)+$',
          description: 'an RFC 6901 pointer into the request body, such as /user/country',
        }),
      },
      closed,
    ),
  ],
  { description: 'a name and either a header or a pointer, such as {name: tenant, header: x-tenant}' },
)
export type SliceDefinition = Static<typeof SliceDefinition>

export const SliceView = named('SliceView', {
  ...Bounded.properties,
  /** The key, `class=7`. */
  slice: Type.String(),
  dimension: Type.String(),
  value: Type.String(),
  /** Of all observations in the range, in [0, 1]. */
  share: Type.Number(),
  /** Whether the slice's bound, corrected for the number of slices, lies wholly on the bad side of the overall estimate. */
  worse: Type.Boolean(),
})
export type SliceView = Static<typeof SliceView>

/** `GET /v1/validations/{name}/slices?metric&from&to`: one metric in every slice, the worst first. */
export const SlicesView = named('SlicesView', {
  metric: Type.String(),
  /** Which way is better; `zero`: the nearer to 0. */
  better: Type.Enum(['higher', 'lower', 'zero']),
  from: nullable(Time),
  to: nullable(Time),
  /** Over all of the traffic. */
  overall: Bounded,
  /** `values`: how many slices of the dimension hold something. */
  dimensions: Type.Array(Type.Object({ name: Type.String(), values: Type.Integer() })),
  /** 1 − α of each slice's bound, so that all of them hold together with the validation's own confidence. */
  confidence: Type.Number(),
  slices: Type.Array(SliceView),
})
export type SlicesView = Static<typeof SlicesView>
