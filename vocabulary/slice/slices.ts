import { type Static, Type } from 'typebox'
import { Bounded } from '../bounded.ts'
import { Count, described, Flag, Num, named, nullable, Share, Text, Time } from '../schema.ts'
import { sliceSamplesMin } from './slice-samples-min.ts'

const closed = { additionalProperties: false }
const DimensionName = Type.String({
  pattern: '^[a-zA-Z][a-zA-Z0-9_-]{0,49}$',
  description: 'a name of letters, digits, - and _, at most 50, beginning with a letter',
})

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
  {
    $id: 'SliceDefinition',
    description: 'a name and either a header or a pointer, such as {name: tenant, header: x-tenant}',
  },
)
export type SliceDefinition = Static<typeof SliceDefinition>

export const SliceView = named('SliceView', 'One metric in one slice.', {
  ...Bounded.properties,
  slice: Text('the key, such as `class=7`'),
  dimension: Text('the slice dimension'),
  value: Text('what it is in this slice'),
  share: Share('of all observations in the range, in [0, 1]'),
  worse: Flag(
    "whether the slice's bounds, corrected for the number of slices, both lie on the bad side of the overall estimate; " +
      `never with fewer than ${sliceSamplesMin} observations`,
  ),
})
export type SliceView = Static<typeof SliceView>

export const SlicesView = named('SlicesView', 'One metric in every slice of the traffic.', {
  metric: Text('its name'),
  better: Type.Enum(['higher', 'lower', 'zero'], { description: 'which way is better; `zero`: closer to 0' }),
  from: nullable(Time(), 'start of the span; null without an observation'),
  to: nullable(Time(), 'end of the span; null without an observation'),
  overall: described(Bounded, 'over all of the traffic'),
  dimensions: Type.Array(
    Type.Object({
      name: Text('such as `class`'),
      values: Count('number of slices of the dimension that are not empty'),
    }),
    { description: 'the slice dimensions' },
  ),
  confidence: Num(
    "1 − α of each slice's bounds, chosen so that all hold together with the validation's own confidence",
  ),
  slices: Type.Array(SliceView, { description: 'the worst first' }),
})
export type SlicesView = Static<typeof SlicesView>
