import { badInput, serveError } from '../errors.ts'

export type Json = Record<string, unknown>

/** Smaller bodies cannot take a significant amount of memory. */
const checkedBytesMin = 64 * 1024
const depthMax = 64
const containersMax = 1_000_000
/** White space before JSON: a line break and an indent, say. */
const spaceMax = 256

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * `rewrite` may change the text before it is parsed. Throws a 400, also for structures that would take many times their
 * size in memory: deep nesting, or more than a million arrays and objects.
 */
export function parseJson(bytes: Uint8Array, rewrite = (text: string) => text): unknown {
  if (bytes.length >= checkedBytesMin) checkStructure(bytes)
  let text = ''
  try {
    text = rewrite(decoder.decode(bytes))
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    // -Infinity, as Python writes it, is reported by its sign alone
    const isNegative = message.includes('after minus sign') && text.includes('-Infinity')
    const isSpecial = isNegative || /\bNaN\b|\bInfinity\b/.test(message)
    const hint = isSpecial ? '; JSON has no NaN or infinity: send them as binary data' : ''
    throw serveError('BAD_JSON', `expected a JSON body: ${message}${hint}`)
  }
}

/** The first character behind white space and a byte order mark, by which JSON can be told from other bodies. */
export const firstCharacter = (body: Buffer) => body.toString('utf8', 0, spaceMax).trimStart().charAt(0)

function checkStructure(bytes: Uint8Array): void {
  let depth = 0
  let containers = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === 0x22) i = endOfString(bytes, i)
    else if (byte === 0x5b || byte === 0x7b) {
      containers++
      depth++
      if (depth > depthMax) throw serveError('BAD_JSON', `expected JSON nested at most ${depthMax} deep`)
    } else if (byte === 0x5d || byte === 0x7d) depth--
  }
  if (containers > containersMax) {
    throw serveError(
      'BAD_JSON',
      `expected JSON of at most ${containersMax} arrays and objects, got ${containers}; send flat data, or binary tensors`,
    )
  }
}

/** Index of the quote that ends the string beginning at `from`; the length of `bytes` if there is none. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let end = bytes.indexOf(0x22, from + 1); end >= 0; end = bytes.indexOf(0x22, end + 1)) {
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === 0x5c) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return bytes.length
}

export function objectAt(value: unknown, place: string): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw badInput(`${place}: expected a JSON object`)
  }
  return value as Json
}
