import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { clientAddress } from '../forward/client-address.ts'
import type { LiveStage } from '../forward/live-stage.ts'
import { fieldValue, hasToken } from '../http1/fields.ts'
import { HeadReader } from '../http1/head-reader.ts'
import { headerBytesMax } from '../http1/header-limits.ts'
import { MalformedMessage } from '../http1/parse-fields.ts'
import { parseRequestHead, type RequestHead } from '../http1/request-head.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { type ClientLimits, ClientTimeouts } from './client-timeouts.ts'
import { type Refusal, refusalText, tooSlow } from './refusal.ts'
import { Relay, type RelayClient } from './relay.ts'

interface ClientOptions extends ClientLimits {
  stage(): LiveStage
  isLeaving(): boolean
  /** Takes over a connection that speaks another protocol, with the bytes `read` so far; Node's servers handle it. */
  handOver(socket: Socket, read: Buffer): void
  /** Called for every request, so that a drain knows when requests stop coming. */
  requested(at: Milliseconds): void
  /** The client sent something that is not a request, or sent it too slowly. */
  refused(status: number, reason: string, socket: Socket): void
  closed(connection: ClientConnection): void
}

const preface = 'PRI * HTTP/2.0'
const nothing = Buffer.alloc(0)
/** For a client whose answer is sent, or that was refused: a close before it stops sending would reset the connection. */
const lingerMs: Milliseconds = 2000

/**
 * One client's connection, one request at a time:
 *
 *     head ──▶ relaying ──▶ head …        head ──▶ handed over        any ──▶ closing
 *
 * While a request is unanswered, pipelined requests behind it are not read. Answers therefore stay in order, and no
 * more than one read's worth of bytes is held.
 */
export class ClientConnection implements RelayClient {
  readonly socket: Socket
  readonly #options: ClientOptions
  readonly #timeouts: ClientTimeouts
  readonly #head = new HeadReader(headerBytesMax)
  readonly #isTls: boolean
  readonly #clientAddress: string | undefined
  /** When it came, or when its last request was over. */
  usedAt: Milliseconds = performance.now()
  #relay: Relay | undefined
  /** Set when the response has been sent but the request has not fully arrived. */
  #isAnswered = false
  #isKept = true
  /** Bytes read but not consumed: an incomplete chunk line, or what the client sent ahead of its turn. */
  #ahead: Buffer = nothing
  #hasEnded = false
  #isClosing = false

  constructor(socket: Socket, options: ClientOptions) {
    this.socket = socket
    this.#options = options
    this.#isTls = (socket as TLSSocket).encrypted === true
    this.#clientAddress = clientAddress(socket)
    const isIdle = () => this.isIdle
    this.#timeouts = new ClientTimeouts(socket, options, isIdle, () => this.#answer(tooSlow))
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('end', this.#onEnd)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  isLeaving(): boolean {
    return this.#options.isLeaving()
  }

  get isIdle(): boolean {
    return this.#relay === undefined && !this.#head.hasBegun
  }

  /** Whether it is idle and nothing is under way in either direction. */
  get isWaiting(): boolean {
    const { destroyed, writableLength } = this.socket
    return this.isIdle && !this.#isClosing && !destroyed && this.#ahead.length === 0 && writableLength === 0
  }

  /** Closes at once; only for a connection between requests. */
  close(): void {
    this.#isClosing = true
    this.socket.end()
    this.socket.destroySoon()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** The limit for a head is shorter now. */
  leave(): void {
    this.#timeouts.leave()
  }

  resume(): void {
    if (!this.#hasSentAhead) this.socket.resume()
  }

  responded(isKept: boolean): void {
    this.#isAnswered = true
    this.#isKept = isKept
    if (this.#relay?.isRequestOver) this.#next()
    else if (!isKept) this.#closeGently()
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.#isClosing) return
    try {
      this.#receive(bytes)
    } catch (error) {
      this.#refuse(error as Error)
    }
  }

  readonly #onDrain = () => {
    if (this.#relay) this.#relay.clientDrained()
    else this.#readAhead()
  }

  readonly #onEnd = () => {
    this.#hasEnded = true
    if (!this.#hasSentAhead) this.#heardAll()
  }

  get #hasSentAhead(): boolean {
    return this.#ahead.length > 0 && this.#relay?.isRequestOver !== false
  }

  #heardAll(): void {
    const relay = this.#relay
    const isAnswerToCome = relay?.isRequestOver === true && !this.#isAnswered
    if (relay && !this.#isAnswered) relay.clientEnded()
    if (!isAnswerToCome) this.close()
  }

  readonly #onError = () => this.socket.destroy()

  readonly #onClose = () => {
    this.#timeouts.headOver()
    this.#isClosing = true
    const relay = this.#relay
    this.#relay = undefined
    relay?.clientGone()
    this.#options.closed(this)
  }

  #receive(read: Buffer): void {
    const bytes = this.#ahead.length > 0 ? Buffer.concat([this.#ahead, read]) : read
    this.#ahead = nothing
    let at = 0
    while (at < bytes.length && !this.#isClosing) {
      const relay = this.#relay
      const next = relay ? this.#readBody(relay, bytes, at) : this.#readHead(bytes, at)
      if (next === at) {
        this.#ahead = bytes.subarray(at)
        if (relay?.isRequestOver) this.socket.pause()
        return
      }
      at = next
    }
  }

  #readHead(bytes: Buffer, start: number): number {
    const found = this.#head.read(bytes, start)
    if (!found) {
      if (this.#head.hasBegun) this.#timeouts.headContinues()
      return bytes.length
    }
    this.#timeouts.headOver()
    const { text, next } = found
    if (text.startsWith(preface)) return this.#handOver(text, bytes, next)
    const head = parseRequestHead(text)
    if (isForNode(head)) return this.#handOver(text, bytes, next)
    if (head.method === 'CONNECT') throw new MalformedMessage('CONNECT is for forward proxies', 501)
    return this.#begin(head, bytes, next)
  }

  #begin(head: RequestHead, bytes: Buffer, next: number): number {
    this.#options.requested(performance.now())
    this.#timeouts.requestBegan()
    this.#isAnswered = false
    const { method, target, fields } = head
    const request: LiveRequest = {
      method,
      target,
      fields,
      clientAddress: this.#clientAddress,
      isTls: this.#isTls,
      httpVersion: head.minorVersion === 0 ? '1.0' : '1.1',
    }
    const relay = new Relay(this, head, request, this.#options.stage())
    this.#relay = relay
    return relay.start(bytes, next)
  }

  #readBody(relay: Relay, bytes: Buffer, at: number): number {
    if (relay.isRequestOver) return at
    const end = relay.take(bytes, at)
    if (relay.isRequestOver && this.#isAnswered) this.#next()
    return end
  }

  /** Both request and response are complete. */
  #next(): void {
    this.#relay = undefined
    this.usedAt = performance.now()
    if (!this.#isKept || (this.#hasEnded && this.#ahead.length === 0)) {
      this.#closeGently()
      return
    }
    this.#timeouts.requestOver()
    // otherwise the answers to a client that sends without reading would all be held here
    if (this.socket.writableNeedDrain) this.socket.pause()
    // not from within the previous response's event handlers
    else if (this.#ahead.length > 0) setImmediate(() => this.#readAhead())
  }

  #readAhead(): void {
    if (this.#isClosing) return
    this.#onData(nothing)
    if (this.#hasEnded && !this.#hasSentAhead) this.#heardAll()
    this.resume()
  }

  #handOver(text: string, bytes: Buffer, next: number): number {
    const { socket } = this
    this.#timeouts.release()
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    this.#isClosing = true
    this.#options.closed(this)
    this.#options.handOver(socket, Buffer.concat([Buffer.from(`${text}\r\n\r\n`, 'latin1'), bytes.subarray(next)]))
    return bytes.length
  }

  #refuse(error: Error): void {
    if (this.#isClosing) return
    if (!(error instanceof MalformedMessage)) {
      this.#options.stage().guard('reading a request', () => {
        throw error
      })
      this.socket.destroy()
      return
    }
    const relay = this.#relay
    this.#relay = undefined
    relay?.clientGone()
    // once an answer has begun, the client would take a refusal for part of it
    if (relay?.hasResponded) {
      this.#options.refused(error.status, error.message, this.socket)
      this.socket.destroy()
    } else this.#answer(error)
  }

  #answer(refusal: Refusal): void {
    if (this.#isClosing) return
    this.#options.refused(refusal.status, refusal.message, this.socket)
    this.socket.write(refusalText(refusal), 'latin1')
    this.#closeGently()
  }

  #closeGently(): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#timeouts.headOver()
    const { socket } = this
    socket.resume()
    if (this.#hasEnded) socket.destroySoon()
    // answered early: it may take as long over the rest of its upload as if it were kept
    else if (this.#relay) socket.end()
    // timed from when everything is sent: a slow client may still be reading the answer, and the idle timeout ends a
    // dead one
    else socket.end(() => void setTimeout(() => socket.destroy(), lingerMs).unref())
  }
}

/**
 * Whether Node's server takes the request: a WebSocket handshake, after which the connection carries no more requests.
 * It is a GET without a body (RFC 6455, 4.1). Any other `upgrade` may be ignored, and so may one in HTTP/1.0 or one
 * that `connection` does not list (RFC 9110, 7.8).
 */
function isForNode({ method, minorVersion, fields, framing }: RequestHead): boolean {
  const hasBody = framing.kind === 'chunked' || (framing.kind === 'length' && framing.bytes > 0)
  if (method !== 'GET' || hasBody || minorVersion === 0) return false
  if (fieldValue(fields, 'upgrade')?.toLowerCase() !== 'websocket') return false
  return hasToken(fieldValue(fields, 'connection'), 'upgrade')
}
