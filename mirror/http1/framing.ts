import { type Fields, field, spelt, tokensOf } from './fields.ts'
import { MalformedMessage } from './parse-fields.ts'

/** How a message's body ends (RFC 9112, 6). */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  | { kind: 'untilClose' }

/** Methods whose requests always state a body's length, even an empty one's (RFC 9110, 8.6). */
export const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

const none: Framing = { kind: 'none' }
const chunked: Framing = { kind: 'chunked' }
const untilClose: Framing = { kind: 'untilClose' }

/**
 * Refuses a request that says in two ways where it ends: the servers before and behind us might each believe another.
 */
export function requestFraming(fields: Fields): Framing {
  const codings = codingsOf(fields)
  const lengths = lengthsOf(fields)
  if (codings.length === 0) return lengths.length === 0 ? none : { kind: 'length', bytes: oneLength(lengths) }
  if (lengths.length > 0) throw new MalformedMessage('both Content-Length and Transfer-Encoding')
  if (codings.length === 1 && codings[0] === 'chunked') return chunked
  const isUnknown = codings.at(-1) === 'chunked' && codings.indexOf('chunked') === codings.length - 1
  if (isUnknown) throw new MalformedMessage('a transfer coding other than chunked', 501)
  throw new MalformedMessage('a Transfer-Encoding that does not end in chunked, once')
}

/** If a response has both, Transfer-Encoding counts and the length is not passed on (RFC 9112, 6.3). */
export function responseFraming(status: number, requestMethod: string, fields: Fields): Framing {
  const codings = codingsOf(fields)
  const lengths = lengthsOf(fields)
  const bytes = codings.length === 0 && lengths.length > 0 ? oneLength(lengths) : undefined
  if (status < 200 || status === 204 || status === 304 || requestMethod === 'HEAD') return none
  if (codings.length > 0) {
    const last = codings.indexOf('chunked')
    if (last >= 0 && last < codings.length - 1) throw new MalformedMessage('chunked is not the last transfer coding')
    return last < 0 ? untilClose : chunked
  }
  return bytes === undefined ? untilClose : { kind: 'length', bytes }
}

/**
 * Removes empty members from Transfer-Encoding. They mean nothing (RFC 9110, 5.6.1), but another server might see no
 * coding in such a list.
 */
export function withPlainCoding(fields: Fields): Fields {
  const isPlain = fields.every(({ name, value }) => name !== 'transfer-encoding' || !/^,|,\s*(,|$)/.test(value))
  if (isPlain) return fields
  return fields.map((one) =>
    one.name === 'transfer-encoding' ? field(spelt(one), tokensOf(one.value).join(', ')) : one,
  )
}

function codingsOf(fields: Fields): string[] {
  let codings: string[] = []
  for (const { name, value } of fields) {
    if (name !== 'transfer-encoding') continue
    const named = tokensOf(value)
    if (named.length === 0) throw new MalformedMessage('an empty Transfer-Encoding')
    codings = codings.concat(named)
  }
  return codings
}

function lengthsOf(fields: Fields): string[] {
  const lengths: string[] = []
  for (const { name, value } of fields) if (name === 'content-length') lengths.push(value)
  return lengths
}

function oneLength(lengths: readonly string[]): number {
  const bytes = Number(lengths[0])
  if (lengths.length > 1) throw new MalformedMessage('several Content-Lengths')
  if (!/^\d+$/.test(lengths[0]!) || !Number.isSafeInteger(bytes)) throw new MalformedMessage('a bad Content-Length')
  return bytes
}
