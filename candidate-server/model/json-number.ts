/** Numbers between JSON text and memory, where a double is too much or too little. */

declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent)

/**
 * The number of the fewest decimal digits that reads back as the same float32. A whole number below 2^53 divided by
 * a power of ten up to 10^22 is rounded once, so it is the very double that its decimal text stands for.
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

// strings are matched to be stepped over: digits within them are text. Unrolled: a choice at each character of a string
// of megabytes overflows the expression's stack
const stringOrLongInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g

/** JSON text whose whole numbers of 16 digits and more became strings, which keep them all. */
export const quoteLongIntegers = (text: string) =>
  text.replace(stringOrLongInteger, (token) => (token[0] === '"' ? token : `"${token}"`))

/** A whole number as JSON has it, with all its digits. */
export function jsonOfBigInt(value: bigint): unknown {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value))
}
