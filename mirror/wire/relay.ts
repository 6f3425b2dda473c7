import type { Socket } from 'node:net'
import { failureResponse } from '../forward/failure-response.ts'
import type { Leg, LiveChoice, LiveStage } from '../forward/live-stage.ts'
import { answeredByPrimary, type NextTry, Tries } from '../forward/tries.ts'
import { BodyReader } from '../http1/body-reader.ts'
import { asksToContinue } from '../http1/expectation.ts'
import { fieldValue, headText } from '../http1/fields.ts'
import type { RequestHead } from '../http1/request-head.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { LiveRecord } from '../live/live-record.ts'
import type { LiveEnd, LiveFailure, LiveRequest } from '../live/live-watch.ts'
import { failureOf, NotConnected, OwnFault, wordsOf } from '../upstream/connection-failure.ts'
import type { ResponseSink, UpstreamConnection } from '../upstream/upstream-connection.ts'
import { ClientResponse } from './client-response.ts'
import { SilenceTimer } from './silence-timer.ts'

/** The client's side of a `Relay`. */
export interface RelayClient {
  socket: Socket
  /** Whether every response from now on must end its connection. */
  isLeaving(): boolean
  /**
   * The whole response has been sent. `isKept`: the client may send another request once this one has fully arrived.
   */
  responded(isKept: boolean): void
  /** Resumes reading the request. */
  resume(): void
}

/**
 * Relays one request and its response, byte for byte except for the header fields that concern a connection.
 * Backpressure works both ways: what one side does not take is not read from the other.
 */
export class Relay implements ResponseSink {
  readonly #stage: LiveStage
  readonly #client: RelayClient
  readonly #head: RequestHead
  readonly #choice: LiveChoice
  readonly #record: LiveRecord
  readonly #body: BodyReader
  readonly #response: ClientResponse
  /** Times the upstream's silence. */
  readonly #silence: SilenceTimer
  readonly #tries: Tries
  #leg: Leg
  /** Set once an answer's head has arrived that the client will not get. */
  #next: NextTry | undefined
  #connection: UpstreamConnection | undefined
  #isRequestOver = false
  /** The client may be waiting for an upstream's 100 before it sends its body. */
  #isContinueAwaited: boolean
  /** The client sends the request faster than the upstream takes it. */
  #isUpstreamFull = false
  /** The upstream sends the response faster than the client takes it. */
  #isClientFull = false
  #hasClientEnded = false
  #endsByClose = false
  #isKept = true
  #isOver = false

  constructor(client: RelayClient, head: RequestHead, request: LiveRequest, stage: LiveStage) {
    this.#client = client
    this.#head = head
    this.#stage = stage
    this.#choice = stage.choose(request)
    this.#record = this.#choice.record
    this.#tries = new Tries(head.method, this.#choice, stage)
    this.#leg = this.#tries.first(this.#choice)
    this.#body = new BodyReader(head.framing)
    this.#response = new ClientResponse(client.socket, head)
    this.#isContinueAwaited = head.minorVersion === 1 && asksToContinue(fieldValue(head.fields, 'expect'))
    // while everyone waits for the client, its own socket's timeout applies
    const isUpstreamsTurn = () =>
      !this.#isClientFull && (this.#isRequestOver || this.#isUpstreamFull || this.#isContinueAwaited)
    this.#silence = new SilenceTimer(stage.silenceMaxMs, isUpstreamsTurn, () => this.#timedOut())
  }

  get hasResponded(): boolean {
    return this.#response.hasBegun
  }

  /** Whether the request has ended, so that what follows it is another one. */
  get isRequestOver(): boolean {
    return this.#isRequestOver
  }

  /** Sends the head and the part of the body in `bytes` from `start` on; returns where the request ends in it. */
  start(bytes: Buffer, start: number): number {
    const end = this.#read(bytes, start)
    const body = end > start ? bytes.subarray(start, end) : undefined
    if (body) this.#tries.keep(body)
    this.#connect(this.#leg.upstream.connections.take(), body ? [body] : [])
    if (this.#body.isOver) this.#requestOver(true)
    return end
  }

  /** More of the request's body. Throws `MalformedMessage`. */
  take(bytes: Buffer, start: number): number {
    const end = this.#read(bytes, start)
    const body = bytes.subarray(start, end)
    if (body.length > 0 && this.#connection) {
      this.#tries.keep(body)
      if (!this.#connection.write(body)) this.#pauseClient()
    }
    if (this.#body.isOver) this.#requestOver(true)
    return end
  }

  /** The client has ended its sending side. If its request is complete, it may still be answered. */
  clientEnded(): void {
    this.#hasClientEnded = true
    this.#isKept = false
    if (this.#isRequestOver) this.#connection?.halfClose()
    else this.clientGone()
  }

  clientGone(): void {
    const connection = this.#connection
    this.#connection = undefined
    connection?.destroy()
    this.#finish('aborted')
    this.#requestOver(false)
  }

  clientDrained(): void {
    if (!this.#isClientFull) return
    this.#isClientFull = false
    this.#silence.restart()
    this.#connection?.resume()
  }

  interim(head: ResponseHead): void {
    this.#silence.restart()
    if (head.status === 100) this.#isContinueAwaited = false
    // if the client may get another upstream's answer, only 100 passes: any other 1xx would announce the wrong answer
    if (head.status === 100 || !this.#leg.watch?.fallback) this.#response.interim(head)
  }

  head(head: ResponseHead): void {
    this.#silence.restart()
    const { status, fields } = head
    const { watch } = this.#leg
    this.#next = this.#tries.afterAnswer(this.#leg, head)
    if (!this.#next) this.#begin(head)
    if (watch) this.#stage.guard('watching a response', () => watch.responded(status, fields))
  }

  data(data: Buffer): void {
    this.#leg.watch?.responseData(data)
    if (this.#next) this.#tries.setAside?.add(data)
    else {
      this.#record.responseBytes += data.length
      this.#response.data(data)
    }
  }

  raw(bytes: Buffer): void {
    if (this.#next || this.#response.raw(bytes)) return
    this.#isClientFull = true
    this.#connection?.pause()
  }

  flush(): void {
    this.#silence.restart()
    if (this.#next) this.#passOn(this.#next, 'reset')
    else this.#response.flush()
  }

  end(): void {
    if (this.#next) {
      this.#passOn(this.#next, 'answered')
      return
    }
    this.flush()
    if (!this.#connection?.isOpen) this.#connection = undefined
    // the upstream may have closed because of the client's FIN, and a body bounded by close has no other end
    this.#finish(this.#hasClientEnded && this.#endsByClose ? 'aborted' : 'answered')
    this.#client.responded(this.#isKept)
    if (!this.#connection) this.#letClientSend()
  }

  drained(): void {
    this.#silence.restart()
    this.#letClientSend()
  }

  failed(error: NodeJS.ErrnoException): void {
    const connection = this.#connection
    this.#connection = undefined
    if (error instanceof OwnFault) this.#report(error)
    this.#record.failure = wordsOf(error)
    const end = failureOf(error)
    // the upstream may have closed because it saw the client's FIN; one that was never reached saw none
    const isAborted = this.#hasClientEnded && !(error instanceof NotConnected)
    if (this.#isOver) this.#letClientSend()
    else if (this.#next) this.#passOn(this.#next, end)
    else if (this.hasResponded) this.#breakOff(isAborted ? 'aborted' : end)
    else if (this.#tryAgain(isAborted ? 'aborted' : end, connection?.isReused === true)) return
    else if (isAborted && !this.#tries.setAside?.answer) {
      this.#finish('aborted')
      this.#client.socket.destroy()
    } else this.#answerFailure(end, isAborted ? 'aborted' : end)
  }

  #read(bytes: Buffer, start: number): number {
    const watch = this.#choice.request
    const end = this.#body.read(bytes, start, (data) => {
      this.#record.requestBytes += data.length
      watch?.requestData(data)
    })
    if (end > start) this.#isContinueAwaited = false
    return end
  }

  #connect(connection: UpstreamConnection, body: readonly Buffer[]): void {
    const { method, target } = this.#head
    const { upstream } = this.#leg
    const { pathPrefix } = upstream.target
    const path = target === '*' ? target : pathPrefix + target
    const fields = this.#stage.headers.toUpstream(this.#record.request, upstream, this.#choice.trace)
    this.#connection = connection
    connection.begin(method, this)
    let isTaken = connection.sendHead(headText(`${method} ${path} HTTP/1.1`, fields), body[0])
    for (const piece of body.slice(1)) isTaken = connection.write(piece)
    // the previous connection may have been full and the client paused
    if (isTaken) this.#letClientSend()
    else this.#pauseClient()
  }

  #pauseClient(): void {
    this.#isUpstreamFull = true
    this.#client.socket.pause()
  }

  #letClientSend(): void {
    if (!this.#isUpstreamFull) return
    this.#isUpstreamFull = false
    this.#client.resume()
  }

  #requestOver(isComplete: boolean): void {
    if (this.#isRequestOver) return
    this.#isRequestOver = true
    if (isComplete) this.#connection?.requestSent()
    this.#silence.restart()
    const watch = this.#choice.request
    if (watch) this.#stage.guard('the end of a request', () => watch.requestEnded(isComplete))
  }

  /** Begins the client's response. */
  #begin(head: ResponseHead): void {
    const { passedOn } = this.#leg
    this.#endsByClose = head.framing.kind === 'untilClose'
    this.#record.responded(head.status, head.fields)
    this.#tries.drop()
    const given = passedOn ? { ...head, fields: [...head.fields, answeredByPrimary] } : head
    this.#isKept = this.#response.begin(given, this.#isKept && this.#mayBeKept())
  }

  /**
   * Leaves an answer that the client will not get. Only what came together with its head is read: by now the answer is
   * complete or counts as broken off.
   */
  #passOn(next: NextTry, end: LiveEnd): void {
    const { watch } = this.#leg
    this.#next = undefined
    this.#tries.setAside?.ended(end === 'answered')
    if (this.#connection?.isOpen) this.#connection.destroy()
    if (watch) this.#stage.guard('the end of a live request', () => watch.ended(end))
    this.#try(next)
  }

  #tryAgain(end: LiveFailure | 'aborted', isReused: boolean): boolean {
    const next = this.#client.socket.destroyed ? undefined : this.#tries.after(this.#leg, end, isReused)
    if (next) this.#try(next)
    return next !== undefined
  }

  #try(next: NextTry): void {
    this.#leg = next.leg
    this.#silence.restart()
    const { connections } = this.#leg.upstream
    const connection = next.isFresh ? connections.fresh() : connections.take()
    this.#connect(connection, next.body)
    if (this.#isRequestOver) connection.requestSent()
    // each upstream decides whether to answer a client that has ended its sending side
    if (this.#hasClientEnded) connection.halfClose()
  }

  #timedOut(): void {
    this.#connection?.destroy()
    this.#connection = undefined
    if (this.hasResponded) this.#breakOff('timedOut')
    else if (!this.#tryAgain('timedOut', false)) this.#answerFailure('timedOut')
  }

  #breakOff(end: LiveEnd): void {
    this.#finish(end)
    this.#response.breakOff()
  }

  #answerFailure(failure: LiveFailure, end: LiveEnd = failure): void {
    const isKept = this.#mayBeKept()
    this.#record.status = this.#response.whole(this.#tries.setAside?.answer ?? failureResponse(failure), isKept)
    this.#finish(end)
    this.#client.responded(isKept)
    this.#letClientSend()
  }

  #report(error: OwnFault): void {
    this.#stage.guard('reading an answer', () => {
      throw error
    })
  }

  #mayBeKept(): boolean {
    // a client that waited for 100 may now skip its body, so what comes next could be that body or a new request
    const isUnsent = !this.#isRequestOver && fieldValue(this.#head.fields, 'expect') !== undefined
    return this.#head.isKeptAlive && !this.#hasClientEnded && !isUnsent && !this.#client.isLeaving()
  }

  #finish(end: LiveEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#silence.stop()
    this.#tries.drop()
    this.#stage.ended(this.#choice, this.#leg, end)
  }
}
