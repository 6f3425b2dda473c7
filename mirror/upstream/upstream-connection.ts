import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { BodyReader } from '../http1/body-reader.ts'
import { HeadReader } from '../http1/head-reader.ts'
import { headerBytesMax, interimBytesMax } from '../http1/header-limits.ts'
import { MalformedMessage } from '../http1/parse-fields.ts'
import { parseResponseHead, type ResponseHead } from '../http1/response-head.ts'
import { NotConnected, OwnFault } from './connection-failure.ts'

/** Who asked, told of the response in this order; `failed` may come at any point, and is then the last. */
export interface ResponseSink {
  /** A 1xx, any number of times. */
  interim(head: ResponseHead): void
  head(head: ResponseHead): void
  /** Data of the body, without the framing around it. */
  data(data: Buffer): void
  /** The same part of the body as it came, framing included. */
  raw(bytes: Buffer): void
  /** Nothing more is here for now. */
  flush(): void
  end(): void
  failed(error: Error): void
  /** The upstream takes more of the request again. */
  drained(): void
}

/** Copied together into one write: a system call costs more than a copy of this much. */
const joinedBytesMax: Bytes = 32 * 1024

/** A connection to an upstream, which serves one request at a time. */
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
  /** A chunk line that is not all there. */
  #held: Buffer | undefined
  #isFirstUse = true
  #isConnected = false
  /** Until when the pool gives it out again, once it was given back. */
  idleUntil: Milliseconds = 0
  /** Until when the pool takes it back. */
  keptUntil: Milliseconds = 0
  #idleMaxMs: Milliseconds | undefined

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

  /** Whether it had served before: what fails then may only have been closed as idle. */
  get isReused(): boolean {
    return !this.#isFirstUse
  }

  /** How long the upstream said that it keeps it when it is idle. */
  get idleMaxMs(): Milliseconds | undefined {
    return this.#idleMaxMs
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
    this.#socket.ref()
  }

  /** The head, and the first of the body where it is there; false as in `write`. */
  sendHead(head: string, body?: Buffer): boolean {
    return writeJoined(this.#socket, head, body)
  }

  /** False where the upstream does not keep up: `drained` says when it does. */
  write(bytes: Buffer): boolean {
    return this.#socket.write(bytes)
  }

  /** The request is whole: from now on the connection may be used again once the response is. */
  requestSent(): void {
    this.#isRequestSent = true
    if (!this.#isAnswered) return
    this.#sink = undefined
    this.#leave()
  }

  /** Passes on that the client will send nothing more; the connection is not used again. */
  halfClose(): void {
    this.#isKeptAlive = false
    this.#socket.end()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** For whoever asked: the sink hears nothing more. */
  destroy(): void {
    this.#sink = undefined
    this.#socket.destroy()
  }

  #receive(read: Buffer): void {
    const sink = this.#sink
    // nobody asked: what these bytes belong to can't be told
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
          // of a read that may be shared
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

  /** False once the sink has let go of the connection, or has its answer. */
  #isReading(sink: ResponseSink): boolean {
    return this.#sink === sink && !this.#isAnswered
  }

  /** The other side has closed: the end of a body that no length bounds, a failure of any other. */
  #ended(): void {
    const sink = this.#sink
    if (sink && !this.#isAnswered && this.#body?.close()) this.#over(sink)
    this.#fail(new Error('the upstream closed the connection'))
    this.#socket.destroy()
  }

  /** An answer may come before the request is through: the rest of that still goes where it was sent. */
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

/** One write, and so one system call and one packet where it fits. */
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
