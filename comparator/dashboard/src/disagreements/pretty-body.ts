const stringMax = 160
const textMax = 20_000

/** JSON indented, long strings (a picture in base64) cut with their length; other text as it is. */
export function prettyBody(body: string, encoding: 'utf8' | 'base64'): string {
  if (encoding === 'base64') return `${cut(body)}\n(base64)`
  try {
    const text = JSON.stringify(JSON.parse(body), (_key, value) => (typeof value === 'string' ? cut(value) : value), 2)
    return limited(oneLineArrays(text))
  } catch {
    return limited(body)
  }
}

function cut(text: string): string {
  return text.length > stringMax ? `${text.slice(0, stringMax)}… (${text.length} characters)` : text
}

function limited(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax)}\n… (${text.length} characters)` : text
}

/** Arrays of numbers read better along a line than down a page. */
function oneLineArrays(text: string): string {
  return text.replace(/\[[\s\d.,eE+-]*\]/g, (array) => array.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']'))
}
