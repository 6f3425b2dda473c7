import { type Static, Type } from 'typebox'
import { Bounded } from './bounded.ts'
import { named, nullable, Time } from './schema.ts'

/**
 * A slice is the part of the traffic where a dimension has a value, with the key `DIMENSION=VALUE`, such as `class=7`;
 * '' is all of the traffic. The slices of a dimension share out all observations: each is in exactly one of them.
 */

/** What every validation is cut by; `class`, the primary's predicted class, of classifications only. */
export const builtInDimensions = ['route', 'bodySize', 'class', 'hour'] as const

/** Follows from the time, so it is read off the rollups of all traffic and not kept once more. */
export const hourDimension = 'hour'

/** Beyond so many values of a dimension, the rest is one slice. */
export const sliceValuesMax = 50
export const otherValue = '(other)'
/** Where the request has no such header or field, or the primary predicted nothing. */
export const absentValue = '(none)'
/** Of a value in UTF-16 units; a longer one is cut. */
export const sliceValueCharsMax = 100

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

export function sliceKey(dimension: string, value: string): string {
  return `${dimension}=${value}`
}

/** `null` of what is no slice's key. */
export function parseSliceKey(key: string): { dimension: string; value: string } | null {
  const at = key.indexOf('=')
  return at < 1 ? null : { dimension: key.slice(0, at), value: key.slice(at + 1) }
}

/** The hour of a slice by the hour of the day; `null` of any other. */
export function hourIn(slice: string): string | null {
  const key = parseSliceKey(slice)
  return key?.dimension === hourDimension ? key.value : null
}

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
