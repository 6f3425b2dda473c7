import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { ApiError } from '../../runtime/api-error.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { serveError } from '../protocol/errors.ts'
import type { BodyHold } from './body-budget.ts'

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
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
  const createDecoder = decoders.get(encoding)
  if (!createDecoder && encoding !== 'identity' && encoding !== '') {
    throw serveError('UNSUPPORTED_ENCODING', `content-encoding: expected gzip, deflate or br, got ${encoding}`)
  }
  const raw = await collect(request, limits, hold)
  if (!createDecoder) return raw
  try {
    return await decompress(raw, createDecoder(), limits, hold)
  } catch (error) {
    if (error instanceof ApiError) throw error
    const { message } = error as Error
    throw serveError('BAD_INPUT', `expected a body in ${encoding}, as content-encoding says: ${message}`)
  }
}

export const tooLarge = ({ bytesMax }: Pick<BodyLimits, 'bytesMax'>) =>
  serveError('BODY_TOO_LARGE', `expected a body of at most ${bytesMax} bytes, which is limits.bodyMax`)

/** Counted piece by piece: many small bodies that unpack at once would else be over all limits before one is whole. */
function decompress(raw: Buffer, decoder: Transform, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(0, limits, hold, 0)
    decoder.on('data', (chunk: Buffer) => {
      try {
        body.append(chunk)
      } catch (error) {
        decoder.destroy(error as Error)
      }
    })
    decoder.on('end', () => resolve(body.take()))
    decoder.on('error', reject)
    decoder.end(raw)
  })
}

/** By events, not by iteration: leaving an iterator early would destroy the socket before the error is written. */
function collect(request: IncomingMessage, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0)
  const jsonBytes = Number(request.headers['inference-header-content-length'] ?? 0)
  if (announced > limits.bytesMax) return Promise.reject(tooLarge(limits))
  return new Promise((resolve, reject) => {
    const body = new GrowingBuffer(announced, limits, hold, jsonBytes)
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
  readonly #limits: BodyLimits
  readonly #hold: BodyHold
  readonly #lengthLikely: Bytes
  readonly #padding: Bytes
  #bytes: Buffer = Buffer.alloc(0)
  length: Bytes = 0

  /** `alignedAt`: where numbers begin, which are read in place only from a multiple of their size. */
  constructor(lengthLikely: Bytes, limits: BodyLimits, hold: BodyHold, alignedAt: Bytes) {
    this.#padding = Number.isSafeInteger(alignedAt) && alignedAt > 0 ? 7 - ((alignedAt + 7) % 8) : 0
    this.#lengthLikely = lengthLikely
    this.#limits = limits
    this.#hold = hold
  }

  /** Throws where that is over a limit. */
  append(chunk: Buffer): void {
    const length = this.length + chunk.length
    if (length > this.#limits.bytesMax) throw tooLarge(this.#limits)
    this.#hold.take(chunk.length)
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
    const capacity = length <= this.#lengthLikely ? this.#lengthLikely : Math.min(this.#limits.bytesMax, 2 * length)
    const grown = Buffer.allocUnsafeSlow(this.#padding + capacity).subarray(this.#padding)
    this.#bytes.copy(grown, 0, 0, this.length)
    this.#bytes = grown
  }
}
