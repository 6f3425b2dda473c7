import { isUtf8 } from 'node:buffer'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { Answered } from '../../../vocabulary/outcome.ts'
import { headerIn } from './header-in.ts'

/** A body that decodes to more bytes is unmapped. */
export const decodedBytesMax = 16 * 1024 * 1024
/** Limit on the content codings of one body, such as `gzip, br`. */
const codingsMax = 3

const bounded = { maxOutputLength: decodedBytesMax }
const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  __proto__: null as never,
  gzip: (bytes) => gunzipSync(bytes, bounded),
  'x-gzip': (bytes) => gunzipSync(bytes, bounded),
  br: (bytes) => brotliDecompressSync(bytes, bounded),
  zstd: (bytes) => zstdDecompressSync(bytes, bounded),
  deflate: inflateEither,
}

type Message = Pick<Answered, 'body' | 'bodyEncoding' | 'headers'>

/** The body as text; `undefined` if there is none. */
export function decodeBody(message: Message): string | undefined {
  const { body, bodyEncoding } = message
  if (body === undefined) return undefined
  return withoutByteOrderMark(bodyEncoding === 'base64' ? textOf(decodeBytes(message)) : body)
}

/** UTF-8, or else Latin-1, where different bytes stay different: as U+FFFD they would be equal. */
export function textOf(bytes: Buffer): string {
  return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1')
}

/** The body's decoded bytes. A body delivered as text has no content coding, but may be bytes that look like text. */
export function decodeBytes({ body = '', bodyEncoding, headers }: Message): Buffer {
  return bodyEncoding === 'base64'
    ? decodeContent(Buffer.from(body, 'base64'), contentEncodingOf(headers))
    : Buffer.from(body)
}

/**
 * Bodies usually arrive decoded; this is for recorders that keep both the coding and its header. A body that does not
 * decode, or decodes to too much, is left as it is: either the recorder kept only the header, or it is no JSON anyway.
 */
function decodeContent(bytes: Buffer, codings: string[]): Buffer {
  if (codings.length > codingsMax) return bytes
  try {
    return codings.reduceRight((coded, coding) => decoders[coding]?.(coded) ?? coded, bytes)
  } catch {
    return bytes
  }
}

function contentEncodingOf(headers: Answered['headers']): string[] {
  const codings = headerIn(headers, 'content-encoding')?.split(',') ?? []
  return codings.map((coding) => coding.trim().toLowerCase()).filter((coding) => coding !== '')
}

/**
 * RFC 9110 wants zlib, but some servers send raw deflate. A zlib header has the low nibble 8 and is a multiple of 31.
 */
function inflateEither(bytes: Buffer): Buffer {
  const isZlib = bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
  return isZlib ? inflateSync(bytes, bounded) : inflateRawSync(bytes, bounded)
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
