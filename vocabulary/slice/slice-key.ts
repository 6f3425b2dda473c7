/**
 * A slice is the part of the traffic in which a dimension has a value. Its key is `DIMENSION=VALUE`, such as `class=7`;
 * '' is all traffic. Each observation is in exactly one slice of each dimension.
 */

/** Dimensions of every validation; `class`, the primary's predicted class, exists for classifications only. */
export const builtInDimensions = ['route', 'bodySize', 'class', 'hour'] as const

/** Derived from the time, so it is read from the rollups of all traffic and not stored separately. */
export const hourDimension = 'hour'

/** The values of the hour dimension: 00 to 23, in UTC. */
export const isHour = (value: string) => /^([01]\d|2[0-3])$/.test(value)

/** Beyond this many values of a dimension, the rest form one slice. */
export const sliceValuesMax = 50

export const otherValue = '(other)'

/** For requests without the header or field, or without a prediction of the primary. */
export const absentValue = '(none)'

/** The most UTF-16 units in a value; longer ones are cut. */
export const sliceValueCharsMax = 100

export function sliceKey(dimension: string, value: string): string {
  return `${dimension}=${value}`
}

/** `null` if it is not a slice's key. */
export function parseSliceKey(key: string): { dimension: string; value: string } | null {
  const at = key.indexOf('=')
  return at < 1 ? null : { dimension: key.slice(0, at), value: key.slice(at + 1) }
}

/** The hour of a slice of the `hour` dimension; `null` of any other slice. */
export function hourIn(slice: string): string | null {
  const key = parseSliceKey(slice)
  return key?.dimension === hourDimension ? key.value : null
}
