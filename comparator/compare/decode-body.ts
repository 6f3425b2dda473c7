import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import type { Answered } from '../../vocabulary/outcome.ts'
import { headerIn } from './header-in.ts'

/** A body that decodes to more is unmapped. */
export const decodedBytesMax = 16 * 1024 * 1024
/** Codings of one body, such as `gzip, br`. */
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

/** The body as text, or `undefined` where there is none. */
export function decodeBody(message: Message): string | undefined {
  const { body, bodyEncoding } = message
  if (body === undefined) return undefined
  return withoutByteOrderMark(bodyEncoding === 'base64' ? decodeBytes(message).toString('utf8') : body)
}

/** The body's bytes without any content coding. One that came as text has none, and may be bytes that look like text. */
export function decodeBytes({ body = '', bodyEncoding, headers }: Message): Buffer {
  return bodyEncoding === 'base64'
    ? decodeContent(Buffer.from(body, 'base64'), contentEncodingOf(headers))
    : Buffer.from(body)
}

/**
 * Bodies come decoded as a rule; this is for the recorder that kept both the coding and its header. What does not decode
 * (or to too much) is left as it is: that recorder kept the header alone, or the body is no JSON either way.
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

/** RFC 9110 says zlib; some servers send the raw stream. A zlib header's low nibble is 8 and it is a multiple of 31. */
function inflateEither(bytes: Buffer): Buffer {
  const isZlib = bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0
  return isZlib ? inflateSync(bytes, bounded) : inflateRawSync(bytes, bounded)
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
