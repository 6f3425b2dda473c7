import type { Clock } from '../../runtime/clock.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { BodyCapture } from '../capture/body-capture.ts'
import type { ByteBudget } from '../capture/byte-budget.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'
import { type Fields, field, headText } from '../http1/fields.ts'
import { methodsWithBody } from '../http1/framing.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { failureOf, OwnFault } from '../upstream/connection-failure.ts'
import type { ConnectionPool } from '../upstream/connection-pool.ts'
import type { ResponseSink, UpstreamConnection } from '../upstream/upstream-connection.ts'

/** Each chunk costs a few hundred nanoseconds whatever its size: a response with more chunks is `tooLarge`. */
const responseChunksMax = 65_536
/**
 * The most that is read in one turn of the event loop, framing included: otherwise some 16 reads of as much would
 * follow one another, and live requests would wait.
 */
const turnBytesMax: Bytes = 64 * 1024

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones
const unsendable = /[\x00-\x20\x7f]|[^\x00-\xff]/

export interface ShadowRequest {
  method: string
  path: string
  /** Without the fields that frame the body. */
  fields: Fields
  body: Buffer
}

interface ShadowOptions {
  deadlineMs: Milliseconds
  responseBytesMax: Bytes
  budget: ByteBudget
  clock: Clock
}

/**
 * Sends once, without retries, and calls `done` exactly once, at the latest by the deadline. The returned function
 * abandons the request, which then ends as `shed`.
 */
export function sendShadow(
  connections: Pick<ConnectionPool, 'take'>,
  request: ShadowRequest,
  options: ShadowOptions,
  done: (outcome: LegOutcome) => void,
): () => void {
  const { method, path, fields, body } = request
  // HTTP/2 allows paths that HTTP/1.1 can't express: not the upstream's fault
  if (unsendable.test(path)) {
    done({ kind: 'shed', totalMs: 0 })
    return () => {}
  }
  const connection = connections.take()
  const sending = new ShadowSend(connection, options, done)
  const framed =
    body.length > 0 || methodsWithBody.has(method) ? [...fields, field('Content-Length', String(body.length))] : fields
  connection.begin(method, sending)
  connection.sendHead(headText(`${method} ${path} HTTP/1.1`, framed), body.length > 0 ? body : undefined)
  connection.requestSent()
  return () => sending.fail('shed')
}

class ShadowSend implements ResponseSink {
  readonly #connection: UpstreamConnection
  readonly #clock: Clock
  readonly #done: (outcome: LegOutcome) => void
  readonly #sentAt: Milliseconds
  readonly #body: BodyCapture
  readonly #bytesMax: Bytes
  readonly #deadline: NodeJS.Timeout
  #head: ResponseHead | undefined
  #ttfbMs: Milliseconds = 0
  #chunks = 0
  #turnBytes: Bytes = 0
  /** More may have arrived that is read in the next turn. */
  #isPaused = false
  #isSettled = false

  constructor(
    connection: UpstreamConnection,
    { deadlineMs, responseBytesMax, budget, clock }: ShadowOptions,
    done: (outcome: LegOutcome) => void,
  ) {
    this.#connection = connection
    this.#clock = clock
    this.#done = done
    this.#sentAt = clock.monotonic()
    this.#body = new BodyCapture(budget, responseBytesMax, 'copied')
    this.#bytesMax = responseBytesMax
    // if this process was busy, an answer in time may still be unread: that is read first
    this.#deadline = setTimeout(() => setImmediate(() => this.#late()), deadlineMs)
  }

  interim(): void {}

  head(head: ResponseHead): void {
    this.#head = head
    this.#ttfbMs = this.#clock.monotonic() - this.#sentAt
    const { framing } = head
    this.#body.addHead(head.fields)
    if (this.#body.lost !== undefined) this.fail(this.#body.lost)
    else if (framing.kind === 'length' && framing.bytes > this.#bytesMax) this.fail('tooLarge')
  }

  data(data: Buffer): void {
    if (this.#isSettled) return
    this.#body.add(data)
    if (this.#body.lost !== undefined) this.fail(this.#body.lost)
    else if (++this.#chunks > responseChunksMax) this.fail('tooLarge')
  }

  raw({ length }: Buffer): void {
    if (!this.#isSettled) this.#takeTurns(length)
  }

  flush(): void {}

  drained(): void {}

  end(): void {
    const { status, fields } = this.#head!
    const totalMs = this.#clock.monotonic() - this.#sentAt
    this.#settle({ kind: 'answered', status, fields, body: this.#body, ttfbMs: this.#ttfbMs, totalMs })
  }

  failed(error: Error): void {
    this.fail(error instanceof OwnFault ? 'shed' : failureOf(error))
  }

  fail(kind: 'timedOut' | 'tooLarge' | 'shed' | 'refused' | 'reset'): void {
    if (this.#isSettled) return
    this.#connection.destroy()
    const totalMs = this.#clock.monotonic() - this.#sentAt
    this.#settle({ kind, totalMs, ...(this.#head && { fields: this.#head.fields }) })
  }

  #late(): void {
    if (this.#isPaused) setImmediate(() => this.#late())
    else this.fail('timedOut')
  }

  #takeTurns(bytes: Bytes): void {
    this.#turnBytes += bytes
    if (this.#turnBytes < turnBytesMax) return
    this.#turnBytes = 0
    this.#isPaused = true
    this.#connection.pause()
    setImmediate(() => {
      this.#isPaused = false
      // by then the connection may serve another request
      if (!this.#isSettled) this.#connection.resume()
    })
  }

  #settle(outcome: LegOutcome): void {
    this.#isSettled = true
    clearTimeout(this.#deadline)
    if (outcome.kind !== 'answered') this.#body.release()
    this.#done(outcome)
  }
}
