import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { type Fields, field, headText } from '../http1/fields.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { ResponseSink, UpstreamConnection } from './upstream-connection.ts'

/** Copied and written in one turn of the event loop. */
const stepBytes: Bytes = 64 * 1024
/** Whatever is asked for in this way is far smaller. */
const answerBytesMax: Bytes = 16 * 1024 * 1024

export interface WholeRequest {
  method: 'GET' | 'POST'
  path: string
  /** Without the fields that frame the body. */
  fields: Fields
  /** Pieces of any size. */
  body: readonly Buffer[]
  /** Limit for the whole answer. */
  withinMs: Milliseconds
  signal?: AbortSignal | undefined
}

export interface WholeResponse {
  status: number
  fields: Fields
  body: string
}

/**
 * Sends one request over the mirror's own HTTP client, whose code shadow requests keep warm. Rejects with the
 * connection's error, or with what ended it: `signal`, the time limit, or an answer that is too long.
 */
export function sendWhole(connections: Pick<ConnectionPool, 'take'>, request: WholeRequest): Promise<WholeResponse> {
  if (request.signal?.aborted) return Promise.reject(new Error(abandoned))
  return new Promise((resolve, reject) => new PendingRequest(connections.take(), request, resolve, reject))
}

const abandoned = 'abandoned'

export class NoAnswerInTime extends Error {}

class PendingRequest implements ResponseSink {
  readonly #connection: UpstreamConnection
  readonly #request: WholeRequest
  readonly #resolve: (answer: WholeResponse) => void
  readonly #reject: (error: Error) => void
  readonly #timer: NodeJS.Timeout
  readonly #steps: Iterator<Buffer, undefined>
  #isSent = false
  #isOver = false
  #head: ResponseHead | undefined
  #parts: Buffer[] = []
  #bytes: Bytes = 0

  constructor(
    connection: UpstreamConnection,
    request: WholeRequest,
    resolve: (answer: WholeResponse) => void,
    reject: (error: Error) => void,
  ) {
    const { method, path, fields, body, withinMs, signal } = request
    this.#connection = connection
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    // without the limit, which grows with the body: the log tells each reason of an outage once
    const late = () => this.#giveUp(new NoAnswerInTime('no answer in time'))
    // if this process was busy, an answer in time may still be unread: that is read first
    this.#timer = setTimeout(() => setImmediate(late), withinMs)
    signal?.addEventListener('abort', this.#aborted)
    this.#steps = stepsOf(body)
    const bytes = body.reduce((sum, { length }) => sum + length, 0)
    const framed = bytes > 0 ? [...fields, field('Content-Length', String(bytes))] : fields
    connection.begin(method, this)
    const isTaken = connection.sendHead(headText(`${method} ${path} HTTP/1.1`, framed), this.#steps.next().value)
    if (isTaken) this.#sendNext()
  }

  interim(): void {}

  head(head: ResponseHead): void {
    this.#head = head
  }

  data(data: Buffer): void {
    this.#bytes += data.length
    if (this.#bytes > answerBytesMax) this.#giveUp(new Error(`an answer of more than ${answerBytesMax} bytes`))
    else this.#parts.push(data)
  }

  raw(): void {}

  flush(): void {}

  drained(): void {
    this.#sendNext()
  }

  end(): void {
    // if it was refused before it was fully sent, nobody wants the rest
    if (!this.#isSent) this.#connection.destroy()
    this.#leave()
    const { status, fields } = this.#head!
    this.#resolve({ status, fields, body: Buffer.concat(this.#parts).toString() })
  }

  failed(error: Error): void {
    this.#leave()
    this.#reject(error)
  }

  #sendNext(): void {
    const step = this.#steps.next().value
    if (step) setImmediate(() => this.#send(step))
    else {
      this.#isSent = true
      this.#connection.requestSent()
    }
  }

  /** Called in a turn of its own, so that live requests come first. */
  #send(step: Buffer): void {
    if (this.#connection.isOpen && this.#connection.write(step)) this.#sendNext()
  }

  readonly #aborted = () => this.#giveUp(new Error(abandoned))

  #giveUp(error: Error): void {
    // the connection may serve another request by now
    if (this.#isOver) return
    this.#connection.destroy()
    this.failed(error)
  }

  #leave(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.#aborted)
  }
}

/** The same bytes in pieces of `stepBytes`, copied only where a piece spans several buffers. */
function* stepsOf(pieces: readonly Buffer[]): Generator<Buffer, undefined> {
  let step: Buffer[] = []
  let room = stepBytes
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + room)
      step.push(part)
      at += part.length
      room -= part.length
      if (room > 0) continue
      yield joined(step)
      step = []
      room = stepBytes
    }
  }
  if (step.length > 0) yield joined(step)
}

const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 ? parts[0]! : Buffer.concat(parts))
