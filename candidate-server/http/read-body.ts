import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { serveError } from '../protocol/errors.ts'
import type { BodyHold } from './body-budget.ts'

const decoders = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

export interface BodyLimits {
  /** Of one body, compressed and not. */
  bytesMax: Bytes
  /** From the request's head to its body's last byte. */
  timeoutMs: Milliseconds
}

/** The whole body, decompressed. Throws as soon as it is over a limit. */
export async function readBody(request: IncomingMessage, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decode = decoders.get(encoding)
  if (!decode && encoding !== 'identity' && encoding !== '') {
    throw serveError('UNSUPPORTED_ENCODING', `content-encoding: expected gzip, deflate or br, got ${encoding}`)
  }
  const raw = await collect(request, limits, hold)
  if (!decode) return raw
  try {
    const body = await decode(raw, { maxOutputLength: limits.bytesMax })
    hold.take(body.length)
    return body
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limits)
    if (code === 'BODIES_FULL') throw error
    throw serveError('BAD_INPUT', `expected a body in ${encoding}, as content-encoding says: ${message}`)
  }
}

export const tooLarge = ({ bytesMax }: Pick<BodyLimits, 'bytesMax'>) =>
  serveError('BODY_TOO_LARGE', `expected a body of at most ${bytesMax} bytes, which is limits.bodyMax`)

/** By events, not by iteration: leaving an iterator early would destroy the socket before the error is written. */
function collect(request: IncomingMessage, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  const jsonBytes = Number(request.headers['inference-header-content-length'] ?? 0)
  if (announced > limits.bytesMax) return Promise.reject(tooLarge(limits))
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(announced, limits.bytesMax, jsonBytes)
    const fail = (error: unknown) => {
      clearTimeout(deadline)
      request.pause()
      request.removeAllListeners('data')
      reject(error)
    }
    const deadline = setTimeout(() => {
      const got = announced > 0 ? `${body.length} of ${announced}` : body.length
      fail(
        serveError(
          'BODY_TOO_SLOW',
          `expected the body within limits.bodyTimeout, ${limits.timeoutMs} ms; got ${got} bytes`,
        ),
      )
    }, limits.timeoutMs)
    request.on('data', (chunk: Buffer) => {
      try {
        if (body.length + chunk.length > limits.bytesMax) throw tooLarge(limits)
        hold.take(chunk.length)
        body.append(chunk)
      } catch (error) {
        fail(error)
      }
    })
    request.on('end', () => {
      clearTimeout(deadline)
      resolve(body.take())
    })
    request.on('error', fail)
    // an error takes its time to make, and most requests close complete
    request.on('close', () => request.complete || fail(serveError('CLIENT_GONE', 'the client closed the connection')))
  })
}

/**
 * Bytes in one piece, however small the pieces that they come in: a list of them would cost many times their size.
 * A body that is one chunk is not copied.
 */
class GrowingBuffer {
  readonly #lengthMax: Bytes
  readonly #lengthLikely: Bytes
  readonly #padding: Bytes
  #bytes: Buffer = Buffer.alloc(0)
  length: Bytes = 0

  /** `alignedAt`: where numbers begin, which are read in place only from a multiple of their size. */
  constructor(lengthLikely: Bytes, lengthMax: Bytes, alignedAt: Bytes) {
    this.#padding = Number.isSafeInteger(alignedAt) && alignedAt > 0 ? 7 - ((alignedAt + 7) % 8) : 0
    this.#lengthLikely = lengthLikely
    this.#lengthMax = lengthMax
  }

  append(chunk: Buffer): void {
    const length = this.length + chunk.length
    if (this.length === 0 && length >= this.#lengthLikely) this.#bytes = chunk
    else {
      if (length > this.#bytes.length) this.#grow(length)
      chunk.copy(this.#bytes, this.length)
    }
    this.length = length
  }

  take(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  #grow(length: Bytes): void {
    const capacity = length <= this.#lengthLikely ? this.#lengthLikely : Math.min(this.#lengthMax, 2 * length)
    const grown = Buffer.allocUnsafeSlow(this.#padding + capacity).subarray(this.#padding)
    this.#bytes.copy(grown, 0, 0, this.length)
    this.#bytes = grown
  }
}
