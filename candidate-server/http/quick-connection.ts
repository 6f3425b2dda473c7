/**
 * Serves one client connection for as long as its requests are plain ones. Plain requests are most of a model server's
 * traffic, and Node's HTTP server spends longer on each than a small model does.
 *
 *     idle ⇄ partial (part of a head has arrived) → answering (the body may still be arriving) → idle …
 *     answering → lingering (answered before the whole body arrived) → closed
 *     idle, partial, answering → over (closed, or handed to Node's server for good with all unanswered bytes)
 */
import type { Socket } from 'node:net'
import { shadowHeader } from '../../vocabulary/headers.ts'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import { clientGone } from '../errors.ts'
import { WaitingClient } from '../model/waiting-client.ts'
import type { BodyHold } from './body-budget.ts'
import type { Front } from './front.ts'
import { lingerMs } from './handle-request.ts'
import { type PlainHead, type PlainRequest, readPlainRequest } from './plain-request.ts'
import { ArrivingBody, tooLarge } from './read-body.ts'
import { replyTo } from './reply-to.ts'
import { responseBytes } from './response-bytes.ts'

interface QuickOptions {
  front: Front
  /** How long a connection may stay idle between two requests. */
  idleMaxMs: Milliseconds
  handOver: (socket: Socket) => void
  /** Called when the connection is closed or handed over. */
  onOver: (connection: QuickConnection) => void
}

/** How long a head may stay incomplete; slower ones are handed to Node, which has its own timeout. */
const partialMaxMs = 20

export class QuickConnection {
  readonly #socket: Socket
  readonly #options: QuickOptions
  #mode: 'idle' | 'partial' | 'answering' | 'lingering' | 'over' = 'idle'
  #read: Buffer | undefined
  /** Head of the last request. */
  #head: PlainHead | undefined
  #client: WaitingClient | undefined
  /** Bytes of the current body still to come. */
  #missing: Bytes = 0
  /** Set while a handler is reading the body. */
  #arriving: ArrivingBody | undefined
  #late: NodeJS.Timeout | undefined

  constructor(socket: Socket, options: QuickOptions) {
    this.#socket = socket
    this.#options = options
    socket.setTimeout(options.idleMaxMs)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onEnd)
    socket.on('close', this.#onClose)
  }

  /** Closes the connection if it is between two requests. */
  closeIfIdle(): void {
    if (this.#mode === 'idle') this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.#missing > 0) return this.#onBody(bytes)
    const read = this.#read ? Buffer.concat([this.#read, bytes]) : bytes
    if (this.#mode === 'answering' || this.#mode === 'lingering') {
      // what follows waits for the current answer, and reading stops until then
      this.#read = read
      this.#socket.pause()
      return
    }
    const reading = readPlainRequest(read, this.#head)
    const wasPartial = this.#mode === 'partial'
    clearTimeout(this.#late)
    this.#read = undefined
    if (reading.kind === 'request') {
      this.#head = reading.head
      void this.#answer(reading.request)
      const { rest } = reading.request
      if (rest.length > 0) this.#onData(rest)
    } else if (reading.kind === 'other' || wasPartial) this.#handOver(read)
    else {
      this.#mode = 'partial'
      this.#read = read
      this.#late = setTimeout(() => this.#handOver(read), partialMaxMs)
    }
  }

  #onBody(bytes: Buffer): void {
    const own = bytes.subarray(0, this.#missing)
    this.#missing -= own.length
    this.#arriving?.append(own)
    if (this.#missing === 0) {
      this.#arriving?.end()
      if (this.#mode === 'lingering') this.#socket.destroySoon()
    }
    if (own.length < bytes.length) this.#onData(bytes.subarray(own.length))
  }

  /** A client that closes only its sending side also counts as gone. */
  readonly #onEnd = () => this.#socket.destroy()

  readonly #onTimeout = () => this.closeIfIdle()

  readonly #onClose = () => {
    if (this.#mode === 'over') return
    this.#mode = 'over'
    clearTimeout(this.#late)
    this.#client?.leave()
    this.#arriving?.fail(clientGone())
    this.#options.onOver(this)
  }

  async #answer({ method, url, headers, body, missing }: PlainRequest): Promise<void> {
    const { front } = this.#options
    this.#mode = 'answering'
    this.#missing = missing
    const hold = front.bodies.open(headers[shadowHeader] !== undefined)
    const client = new WaitingClient()
    this.#client = client
    try {
      const readBody = () => {
        const { bodyMax: bytesMax, bodyTimeout: timeoutMs } = front.limits
        if (missing > 0) {
          this.#arriving = new ArrivingBody(headers, { bytesMax, timeoutMs }, hold)
          this.#arriving.append(body)
          return this.#arriving.whole
        }
        if (body.length > bytesMax) throw tooLarge({ bytesMax })
        hold.take(body.length)
        return body
      }
      const reply = await replyTo(front, { method, url, headers, readBody, client, hold })
      this.#arriving = undefined
      hold.add(reply.body.length)
      if ((this.#mode as string) === 'over') return hold.release()
      const isEarly = this.#missing > 0
      const isLast = front.isStopping() || isEarly
      this.#write(responseBytes(reply, isLast), client, hold)
      if (isEarly) this.#linger()
      else if (isLast) this.#socket.destroySoon()
      else this.#next()
    } catch (error) {
      front.logger.error({ err: error }, 'an answer could not be written')
      hold.release()
      this.#socket.destroy()
    }
  }

  /** A client that does not read its answer in time is cut off, or it would hold the memory for ever. */
  #write(bytes: Buffer, client: WaitingClient, hold: BodyHold): void {
    let slow: NodeJS.Timeout | undefined
    // also called if the connection ends first
    this.#socket.write(bytes, () => {
      clearTimeout(slow)
      client.served()
      hold.release()
    })
    if (this.#socket.writableLength === 0) return
    slow = setTimeout(() => this.#socket.destroy(), this.#options.front.limits.bodyTimeout)
  }

  /** Closing before the rest is read would reset the connection, and the client would lose the answer. */
  #linger(): void {
    this.#mode = 'lingering'
    this.#late = setTimeout(() => this.#socket.destroySoon(), lingerMs)
  }

  #next(): void {
    this.#mode = 'idle'
    this.#client = undefined
    if (this.#read) this.#handOver(this.#read)
  }

  #handOver(read: Buffer): void {
    const { handOver, onOver } = this.#options
    const socket = this.#socket
    this.#mode = 'over'
    clearTimeout(this.#late)
    socket.setTimeout(0)
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', this.#onEnd)
    socket.off('close', this.#onClose)
    onOver(this)
    socket.unshift(read)
    handOver(socket)
    socket.resume()
  }
}
