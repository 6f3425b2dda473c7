import type { Bytes } from '../../vocabulary/units.ts'

/** A POST whose head lay whole in what was read of a connection. */
export interface PlainRequest {
  method: 'POST'
  /** As it came, with the query. */
  url: string
  headers: Readonly<Record<string, string>>
  /** What has come of it. */
  body: Buffer
  /** Of the body, still to come. */
  missing: Bytes
}

/** What stands before a body, as it was read. */
export interface PlainHead {
  /** Up to the body, in memory of their own. */
  bytes: Buffer
  url: string
  headers: Readonly<Record<string, string>>
  bodyBytes: Bytes
}

/** `more`: the beginning of a head; `other`: anything else, which Node's parser is to judge. */
export type PlainReading =
  | { kind: 'request'; head: PlainHead; request: PlainRequest }
  | { kind: 'more' }
  | { kind: 'other' }

/** Longer ones gain nothing here. */
const headBytesMax: Bytes = 8 * 1024
const fieldsMax = 64

const more: PlainReading = { kind: 'more' }
const other: PlainReading = { kind: 'other' }
const headEnd = Buffer.from('\r\n\r\n')
const requestLine = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/
const fieldLine =
  /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)[ \t]*$/
/** What changes how a message is framed or answered, apart from a length. */
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
 * Reads what nearly all of a model server's requests are, and no more than that: one POST in HTTP/1.1 with a length, no
 * field twice, nothing behind it. Whatever might be read in two ways is `other`. `before`: of the request before this
 * one, whose head most clients send again to the byte; it is not read twice.
 */
export function readPlainRequest(bytes: Buffer, before?: PlainHead): PlainReading {
  const head = before && beginsWith(bytes, before.bytes) ? before : readHead(bytes)
  if ('kind' in head) return head
  const missing = head.bytes.length + head.bodyBytes - bytes.length
  if (missing < 0) return other
  const { url, headers } = head
  const body = bytes.subarray(head.bytes.length)
  return { kind: 'request', head, request: { method: 'POST', url, headers, body, missing } }
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

/** By their names in lower case; `undefined` where one is malformed, unusual or there twice. */
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
