import { parseExactly } from '../../../../vocabulary/json/parse-exactly.ts'
import { formatCount } from '../format/number.ts'

const stringMax = 400
export const bodyCharsMax = 20_000

/** TypeScript's DOM library does not declare it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(digits: string): unknown }

interface PrettyBody {
  text: string
  /** Number of characters that are not shown. */
  more: number
}

/**
 * JSON is indented, and long strings in it (a picture in base64) are cut and show their length; other text stays as it
 * is. The total length is limited.
 */
export function prettyBody(body: string): PrettyBody {
  const text = indented(body)
  return { text: text.slice(0, bodyCharsMax), more: Math.max(0, text.length - bodyCharsMax) }
}

/** A JSON string with letters outside ASCII. */
const foreignString = /("(?:[^"\\\n]|\\.)*\P{ASCII}(?:[^"\\\n]|\\.)*")/u

/**
 * The text with each JSON string that may be written from right to left apart, so that it does not carry the colon and
 * the value after it to its other side.
 */
export function directionParts(text: string): string[] {
  return text.split(foreignString).filter((part) => part !== '')
}

/** Text nested too deeply for `JSON.stringify` stays as it is. */
function indented(body: string): string {
  try {
    return oneLineArrays(
      JSON.stringify(parseExactly(body, rawJSON), (_key, value) => (typeof value === 'string' ? cut(value) : value), 2),
    )
  } catch {
    return body
  }
}

function cut(text: string): string {
  return text.length > stringMax ? `${text.slice(0, 80)}… (${formatCount(text.length)} characters)` : text
}

/** Arrays of numbers are easier to read on one line. */
function oneLineArrays(text: string): string {
  return text.replace(/\[[\s\d.,eE+-]*\]/g, (array) => array.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'))
}
