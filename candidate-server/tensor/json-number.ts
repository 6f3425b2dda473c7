/** Conversions between JSON text and numbers for types to which a double does not fit. */

declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/**
 * The number with the fewest decimal digits that reads back as the same float32. A whole number below 2^53 divided by a
 * power of ten up to 10^22 is rounded only once, so it equals the double that its decimal text stands for.
 */
export function shortestFloat32(value: number): number {
  if (Number.isSafeInteger(value) || !Number.isFinite(value)) return value
  const digitsBeforePoint = Math.floor(Math.log10(Math.abs(value)))
  for (let digits = 6; digits < 9; digits++) {
    const scale = powersOfTen[digits - 1 - digitsBeforePoint]
    const rounded = scale === undefined ? Number(value.toPrecision(digits)) : Math.round(value * scale) / scale
    if (Math.fround(rounded) === value) return rounded
  }
  return Number(value.toPrecision(9))
}

export const isUnsafeInteger = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

// strings are matched in order to skip them, since digits inside them are text. The pattern is unrolled: an alternation
// per character overflows the regular expression's stack on a string of megabytes
const stringOrLongInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** Turns whole numbers of 16 or more digits in JSON text into strings, which preserve all digits. */
export const quoteLongIntegers = (text: string) =>
  text.replace(stringOrLongInteger, (token) => (token[0] === '"' ? token : `"${token}"`))

/** A whole number as it appears in JSON, with all its digits. */
export function jsonOfBigInt(value: bigint): unknown {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
}
