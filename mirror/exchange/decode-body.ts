import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import type { Bytes } from '../../vocabulary/units.ts'

type Decoder = (body: Buffer, options: { maxOutputLength: Bytes }) => Promise<Buffer>

const deflated = promisify(inflate) as Decoder
const deflatedRaw = promisify(inflateRaw) as Decoder
const decoders: Record<string, Decoder> = {
  gzip: promisify(gunzip) as Decoder,
  'x-gzip': promisify(gunzip) as Decoder,
  // some servers send raw deflate under this name
  deflate: (body, options) =>
    deflated(body, options).catch((error) => (isTooLarge(error) ? Promise.reject(error) : deflatedRaw(body, options))),
  br: promisify(brotliDecompress) as Decoder,
  zstd: promisify(zstdDecompress) as Decoder,
}

/**
 * Codings applied to one body. Servers use one, rarely two, but a header has room for thousands, each of which takes
 * time.
 */
const codingsMax = 5

type DecodedBody = { kind: 'decoded'; body: Buffer } | { kind: 'undecodable' } | { kind: 'tooLarge' }

/** Whether `decodeBody` has anything to do. */
export function isEncoded(contentEncoding: string | undefined, bodyBytes: Bytes): boolean {
  return contentEncoding !== undefined && bodyBytes > 0 && contentEncoding.toLowerCase() !== 'identity'
}

/** Undoes the content codings, the last first. A body that grows beyond `bytesMax` is `tooLarge`. */
export async function decodeBody(body: Buffer, contentEncoding: string, bytesMax: Bytes): Promise<DecodedBody> {
  const names = contentEncoding.toLowerCase().split(',')
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  if (codings.length > codingsMax) return { kind: 'undecodable' }
  let decoded = body
  for (const coding of codings.reverse()) {
    const decode = decoders[coding]
    if (!decode) return { kind: 'undecodable' }
    try {
      decoded = await decode(decoded, { maxOutputLength: bytesMax })
    } catch (error) {
      return { kind: isTooLarge(error) ? 'tooLarge' : 'undecodable' }
    }
  }
  return { kind: 'decoded', body: decoded }
}

const isTooLarge = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
