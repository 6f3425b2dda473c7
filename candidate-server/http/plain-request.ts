import type { Bytes } from '../../vocabulary/units.ts'

/** A POST whose head arrived whole in one read. */
export interface PlainRequest {
  method: 'POST'
  /** As received, with the query. */
  url: string
  headers: Readonly<Record<string, string>>
  /** The part of the body received so far. */
  body: Buffer
  /** Bytes of the body still to come. */
  missing: Bytes
  /** What arrived behind the body: another request, or no HTTP at all. */
  rest: Buffer
}

/** A request head as it was received and parsed. */
export interface PlainHead {
  /** The head's bytes, copied into memory of their own. */
  bytes: Buffer
  url: string
  headers: Readonly<Record<string, string>>
  bodyBytes: Bytes
}

/** `more`: an incomplete head; `other`: anything else, left to Node's parser. */
export type PlainReading =
  | { kind: 'request'; head: PlainHead; request: PlainRequest }
  | { kind: 'more' }
  | { kind: 'other' }

/** For longer heads this parser has no advantage. */
const headBytesMax: Bytes = 8 * 1024
const fieldsMax = 64

const more: PlainReading = { kind: 'more' }
const other: PlainReading = { kind: 'other' }
const headEnd = Buffer.from('\r\n\r\n')
const requestLine = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/
const fieldLine =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*$/
/** Fields other than content-length that change how a message is framed or answered. */
const unusual = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'content-encoding',
  'trailer',
  'te',
  'http2-settings',
])

/**
 * Parses only the requests that make up most of a model server's traffic: an HTTP/1.1 POST with a content-length and no
 * repeated fields. Anything ambiguous is `other`. `before` is the connection's previous head; most clients repeat it
 * byte for byte, and then it is not parsed again.
 */
export function readPlainRequest(bytes: Buffer, before?: PlainHead): PlainReading {
  const head = before && beginsWith(bytes, before.bytes) ? before : readHead(bytes)
  if ('kind' in head) return head
  const { url, headers, bodyBytes } = head
  const arrived = bytes.subarray(head.bytes.length)
  const body = arrived.subarray(0, bodyBytes)
  const missing = bodyBytes - body.length
  return {
    kind: 'request',
    head,
    request: { method: 'POST', url, headers, body, missing, rest: arrived.subarray(bodyBytes) },
  }
}

const beginsWith = (bytes: Buffer, head: Buffer) =>
  bytes.length >= head.length && bytes.compare(head, 0, head.length, 0, head.length) === 0

function readHead(bytes: Buffer): PlainHead | PlainReading {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return bytes.length > headBytesMax || bytes[0] !== 0x50 ? other : more
  if (end > headBytesMax) return other
  const lines = bytes.toString('latin1', 0, end).split('\r\n')
  const url = requestLine.exec(lines[0]!)?.[1]
  if (url === undefined || lines.length > fieldsMax) return other
  const headers = headersOf(lines)
  if (headers?.host === undefined) return other
  if (headers.connection !== undefined && headers.connection.toLowerCase() !== 'keep-alive') return other
  const length = headers['content-length']
  if (length === undefined || !/^\d{1,15}$/.test(length)) return other
  const own = Buffer.from(bytes.subarray(0, end + headEnd.length))
  return { bytes: own, url, headers: Object.freeze(headers), bodyBytes: Number(length) }
}

/** Keys are in lower case. Returns `undefined` if any field is malformed, unusual or repeated. */
function headersOf(lines: readonly string[]): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 1; i < lines.length; i++) {
    const field = fieldLine.exec(lines[i]!)
    if (!field) return undefined
    const name = field[1]!.toLowerCase()
    if (unusual.has(name) || headers[name] !== undefined) return undefined
    headers[name] = field[2]!
  }
  return headers
}
