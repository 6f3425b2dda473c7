import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { ApiError } from '../../runtime/api-error.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { clientGone, serveError } from '../errors.ts'
import type { BodyHold } from './body-budget.ts'

const decoders = new Map<string, (raw: Buffer) => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', (raw) => (isZlib(raw) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
])

/** RFC 9110 wants zlib in `deflate`, but some clients send it raw. A zlib header is a multiple of 31, of the method 8. */
const isZlib = (raw: Buffer) => raw.length < 2 || ((raw[0]! & 0x0f) === 8 && raw.readUInt16BE(0) % 31 === 0)

interface BodyLimits {
  /** Applies to one body, both compressed and decompressed. */
  bytesMax: Bytes
  /** From the request's head to the body's last byte. */
  timeoutMs: Milliseconds
}

/** The whole body, decompressed. Throws as soon as a limit is exceeded. */
export async function readBody(request: IncomingMessage, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const createDecoder = decoders.get(encoding)
  if (!createDecoder && encoding !== 'identity' && encoding !== '') {
    throw serveError('UNSUPPORTED_ENCODING', `content-encoding: expected gzip, deflate or br, got ${encoding}`)
  }
  const raw = await collect(request, limits, hold)
  if (!createDecoder) return raw
  try {
    return await decompress(raw, createDecoder(raw), limits, hold)
  } catch (error) {
    if (error instanceof ApiError) throw error
    const { message } = error as Error
    throw serveError('BAD_INPUT', `expected a body in ${encoding}, as content-encoding says: ${message}`)
  }
}

export const tooLarge = ({ bytesMax }: Pick<BodyLimits, 'bytesMax'>) =>
  serveError('BODY_TOO_LARGE', `expected a body of at most ${bytesMax} bytes, which is limits.bodyMax`)

/** Counts each piece as it is unpacked: otherwise many small bodies could exceed all limits before any was complete. */
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

/** Uses events: leaving an async iterator early would destroy the socket before the error is written. */
function collect(request: IncomingMessage, limits: BodyLimits, hold: BodyHold): Promise<Buffer> {
  const body = new ArrivingBody(request.headers, limits, hold)
  request.on('data', (chunk: Buffer) => body.append(chunk))
  request.on('end', () => body.end())
  // creating an error is costly, and most requests close complete
  const leave = () => request.complete || body.fail(clientGone())
  // Node's own error says only that the connection ended
  request.on('error', leave)
  request.on('close', leave)
  body.whole.catch(() => {
    request.pause()
    request.removeAllListeners('data')
  })
  return body.whole
}

/** A body that arrives in pieces. */
export class ArrivingBody {
  readonly #bytes: GrowingBuffer
  readonly #deadline: NodeJS.Timeout
  readonly #result = Promise.withResolvers<Buffer>()
  #isOver = false

  /** `headers` announce the body's length, and where in it binary tensors begin. */
  constructor(headers: IncomingHttpHeaders, limits: BodyLimits, hold: BodyHold) {
    const announced = Number(headers['content-length'] ?? 0)
    this.#bytes = new GrowingBuffer(announced, limits, hold, Number(headers['inference-header-content-length'] ?? 0))
    this.#deadline = setTimeout(() => {
      const got = announced > 0 ? `${this.#bytes.length} of ${announced}` : this.#bytes.length
      const expected = `expected the body within limits.bodyTimeout, ${limits.timeoutMs} ms`
      this.fail(serveError('BODY_TOO_SLOW', `${expected}; got ${got} bytes`))
    }, limits.timeoutMs)
    if (announced > limits.bytesMax) this.fail(tooLarge(limits))
  }

  /** Rejects as soon as a limit is exceeded. */
  get whole(): Promise<Buffer> {
    return this.#result.promise
  }

  /** Ignores anything after the end or a failure. */
  append(chunk: Buffer): void {
    if (this.#isOver) return
    try {
      this.#bytes.append(chunk)
    } catch (error) {
      this.fail(error)
    }
  }

  end(): void {
    if (this.#close()) this.#result.resolve(this.#bytes.take())
  }

  fail(error: unknown): void {
    if (this.#close()) this.#result.reject(error)
  }

  #close(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#deadline)
    return true
  }
}

/**
 * The most to allocate ahead of a body's arrival: otherwise a client that stalls would hold memory that is not counted.
 */
const takenAtOnce: Bytes = 1024 * 1024

/**
 * Collects chunks in one growing buffer: a list of tiny chunks would cost many times their size. A body of one chunk is
 * not copied.
 */
class GrowingBuffer {
  readonly #limits: BodyLimits
  readonly #hold: BodyHold
  readonly #lengthLikely: Bytes
  readonly #padding: Bytes
  #bytes: Buffer = Buffer.alloc(0)
  length: Bytes = 0

  /** `alignedAt`: offset of the binary tensors, which are read in place only from a multiple of their element size. */
  constructor(lengthLikely: Bytes, limits: BodyLimits, hold: BodyHold, alignedAt: Bytes) {
    this.#padding = Number.isSafeInteger(alignedAt) && alignedAt > 0 ? 7 - ((alignedAt + 7) % 8) : 0
    this.#lengthLikely = lengthLikely
    this.#limits = limits
    this.#hold = hold
  }

  /** Throws if a limit is exceeded. */
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
    const capacity =
      length <= this.#lengthLikely
        ? Math.min(this.#lengthLikely, Math.max(2 * length, takenAtOnce))
        : Math.min(this.#limits.bytesMax, 2 * length)
    const grown = Buffer.allocUnsafeSlow(this.#padding + capacity).subarray(this.#padding)
    this.#bytes.copy(grown, 0, 0, this.length)
    this.#bytes = grown
  }
}
