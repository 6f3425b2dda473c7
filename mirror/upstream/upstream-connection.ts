import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { BodyReader } from '../http1/body-reader.ts'
import { HeadReader } from '../http1/head-reader.ts'
import { headerBytesMax, interimBytesMax } from '../http1/header-limits.ts'
import { MalformedMessage } from '../http1/parse-fields.ts'
import { parseResponseHead, type ResponseHead } from '../http1/response-head.ts'
import { NotConnected, OwnFault } from './connection-failure.ts'

/** Receives one response, in this order; `failed` may come at any point and is then the last call. */
export interface ResponseSink {
  /** A 1xx; may come any number of times. */
  interim(head: ResponseHead): void
  head(head: ResponseHead): void
  /** Body data without framing. */
  data(data: Buffer): void
  /** The same part of the body as received, framing included. */
  raw(bytes: Buffer): void
  /** No more bytes are available for now. */
  flush(): void
  end(): void
  failed(error: Error): void
  /** The upstream can take more of the request again. */
  drained(): void
}

/** Head and body up to this size are copied into one write: a system call costs more than the copy. */
const joinedBytesMax: Bytes = 32 * 1024

/** A connection to an upstream; serves one request at a time. */
export class UpstreamConnection {
  readonly #socket: Socket
  readonly #onIdle: (connection: UpstreamConnection) => void
  readonly #onGone: (connection: UpstreamConnection) => void
  #head = new HeadReader(headerBytesMax)
  #sink: ResponseSink | undefined
  #method = ''
  #body: BodyReader | undefined
  #interimBytes: Bytes = 0
  #isKeptAlive = true
  #isRequestSent = false
  #isAnswered = false
  /** An incomplete chunk line. */
  #held: Buffer | undefined
  #isFirstUse = true
  #isConnected = false
  /** When idle in the pool: until when it may be used again. */
  idleUntil: Milliseconds = 0
  /** Until when the pool accepts it back. */
  keptUntil: Milliseconds = 0
  #idleMaxMs: Milliseconds | undefined
  #pausedAt: Milliseconds | undefined
  #pausedMs: Milliseconds = 0

  constructor(
    socket: Socket,
    onIdle: (connection: UpstreamConnection) => void,
    onGone: (connection: UpstreamConnection) => void,
  ) {
    this.#socket = socket
    this.#onIdle = onIdle
    this.#onGone = onGone
    socket.once((socket as TLSSocket).encrypted ? 'secureConnect' : 'connect', () => {
      this.#isConnected = true
    })
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('drain', () => this.#sink?.drained())
    socket.on('end', () => this.#ended())
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => {
      this.#fail(new Error('the upstream closed the connection'))
      this.#onGone(this)
    })
  }

  /** Whether more of the request can be sent. */
  get isOpen(): boolean {
    return this.#sink !== undefined
  }

  /** Whether it has served before: a failure may then only mean that it was closed as idle. */
  get isReused(): boolean {
    return !this.#isFirstUse
  }

  /** How long the upstream said it keeps the connection when idle. */
  get idleMaxMs(): Milliseconds | undefined {
    return this.#idleMaxMs
  }

  /** For how long nothing of the last answer was read: the upstream may have sent all of it before. */
  get pausedMs(): Milliseconds {
    return this.#pausedMs + (this.#pausedAt === undefined ? 0 : performance.now() - this.#pausedAt)
  }

  get isUsable(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded && this.#socket.writable
  }

  begin(method: string, sink: ResponseSink): void {
    this.#method = method
    this.#sink = sink
    this.#body = undefined
    this.#interimBytes = 0
    this.#isAnswered = false
    this.#isRequestSent = false
    this.#pausedAt = undefined
    this.#pausedMs = 0
    this.#socket.ref()
  }

  /** Sends the head, with the first of the body if it is there; returns as `write` does. */
  sendHead(head: string, body?: Buffer): boolean {
    return writeJoined(this.#socket, head, body)
  }

  /** False if the upstream does not keep up: `drained` follows when it does. */
  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes)
  }

  /** The whole request has been sent: the connection may be reused once the response is complete. */
  requestSent(): void {
    this.#isRequestSent = true
    if (!this.#isAnswered) return
    this.#sink = undefined
    this.#leave()
  }

  /** Passes on the client's FIN; the connection is not reused. */
  halfClose(): void {
    this.#isKeptAlive = false
    this.#socket.end()
  }

  pause(): void {
    this.#pausedAt ??= performance.now()
    this.#socket.pause()
  }

  resume(): void {
    this.#pausedMs = this.pausedMs
    this.#pausedAt = undefined
    this.#socket.resume()
  }

  /** Called by the owner: the sink gets no more calls. */
  destroy(): void {
    this.#sink = undefined
    this.#socket.destroy()
  }

  #receive(read: Buffer): void {
    const sink = this.#sink
    // without a request these bytes belong to nothing
    if (!sink || this.#isAnswered) {
      this.#fail(new Error('the upstream sent more than its answer'))
      return
    }
    const bytes = this.#held ? Buffer.concat([this.#held, read]) : read
    this.#held = undefined
    try {
      let at = 0
      while (at < bytes.length && this.#isReading(sink)) {
        const next = this.#read(bytes, at, sink)
        if (next === at) {
          // copied, because the read buffer may be shared
          this.#held = Buffer.from(bytes.subarray(at))
          break
        }
        at = next
      }
      if (this.#isReading(sink)) sink.flush()
      else if (at < bytes.length) this.#fail(new Error('the upstream sent more than its answer'))
    } catch (error) {
      this.#fail(error instanceof MalformedMessage ? error : new OwnFault(error))
    }
  }

  #read(bytes: Buffer, start: number, sink: ResponseSink): number {
    let at = start
    if (!this.#body) {
      const found = this.#head.read(bytes, at)
      if (!found) return bytes.length
      at = found.next
      const head = parseResponseHead(found.text, this.#method)
      if (head.status === 101) throw new MalformedMessage('the upstream switched protocols unasked')
      if (head.status < 200) {
        this.#interimBytes += found.text.length
        if (this.#interimBytes > interimBytesMax) throw new MalformedMessage('more 1xx than an answer needs')
        sink.interim(head)
        return at
      }
      this.#body = new BodyReader(head.framing)
      this.#isKeptAlive &&= head.isKeptAlive
      this.#idleMaxMs = head.idleMaxMs
      sink.head(head)
    }
    const end = this.#body.read(bytes, at, (data) => sink.data(data))
    if (end > at && this.#isReading(sink)) sink.raw(bytes.subarray(at, end))
    if (this.#body?.isOver && this.#isReading(sink)) this.#over(sink)
    return end
  }

  /** False once the sink has left the connection or has its whole answer. */
  #isReading(sink: ResponseSink): boolean {
    return this.#sink === sink && !this.#isAnswered
  }

  /** The upstream has closed, which ends a body bounded by close and breaks any other. */
  #ended(): void {
    const sink = this.#sink
    if (sink && !this.#isAnswered && this.#body?.close()) this.#over(sink)
    this.#fail(new Error('the upstream closed the connection'))
    this.#socket.destroy()
  }

  /** The answer is complete. If it came early, the rest of the request is still sent on this connection. */
  #over(sink: ResponseSink): void {
    this.#body = undefined
    this.#isFirstUse = false
    if (this.#isRequestSent || !this.#isKeptAlive || !this.isUsable) {
      this.#sink = undefined
      this.#leave()
    } else this.#isAnswered = true
    sink.end()
  }

  #leave(): void {
    if (this.#isKeptAlive && this.#isRequestSent && this.isUsable) {
      this.#socket.resume()
      this.#onIdle(this)
    } else this.#socket.destroy()
  }

  #fail(error: Error): void {
    const sink = this.#sink
    this.destroy()
    sink?.failed(this.#isConnected ? error : new NotConnected(error))
  }
}

/** A single write, so a single system call, and a single packet if it fits. */
export function writeJoined(socket: Socket, head: string, body?: Buffer): boolean {
  if (!body) return socket.write(head, 'latin1')
  if (body.length > joinedBytesMax) {
    socket.cork()
    socket.write(head, 'latin1')
    const isTaken = socket.write(body)
    socket.uncork()
    return isTaken
  }
  const joined = Buffer.allocUnsafe(head.length + body.length)
  joined.write(head, 0, 'latin1')
  body.copy(joined, head.length)
  return socket.write(joined)
}
