import { parseExactly } from '../../../../vocabulary/parse-exactly.ts'
import { formatCount } from '../format/number.ts'

const stringMax = 400
export const bodyCharsMax = 20_000

/** TypeScript's library for browsers has none of it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(digits: string): unknown }

interface PrettyBody {
  text: string
  /** Characters of it that are not shown. */
  more: number
}

/** JSON indented, long strings (a picture in base64) cut with their length; other text as it is; bounded. */
export function prettyBody(body: string): PrettyBody {
  const text = indented(body)
  return { text: text.slice(0, bodyCharsMax), more: Math.max(0, text.length - bodyCharsMax) }
}

/** What nests deeper than `JSON.stringify` goes stays as it came. */
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

/** Arrays of numbers read better along a line than down a page. */
function oneLineArrays(text: string): string {
  return text.replace(/\[[\s\d.,eE+-]*\]/g, (array) => array.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'))
}
