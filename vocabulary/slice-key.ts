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
