/**
 * One client's connection as long as its requests are plain ones, which lie whole in what is read at once: these are
 * most of what a model server gets, and Node's HTTP server takes longer over one than a small model does.
 *
 *     idle ⇄ partial (the beginning of a request has come) → answering → idle …
 *     idle, partial, answering → handed over (to Node's server, for good, with whatever is not answered) or closed
 */
import type { Socket } from 'node:net'
import { shadowHeader } from '../../vocabulary/headers.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { Asker } from '../model/asker.ts'
import type { BodyHold } from './body-budget.ts'
import type { Front } from './front.ts'
import { type PlainHead, type PlainRequest, readPlainRequest } from './plain-request.ts'
import { tooLarge } from './read-body.ts'
import { replyTo } from './reply-to.ts'
import { responseBytes } from './response-bytes.ts'

export interface QuickOptions {
  front: Front
  /** Between two requests. */
  idleMaxMs: Milliseconds
  isLeaving: () => boolean
  handOver: (socket: Socket) => void
  /** Over for this connection, be it closed or handed over. */
  onOver: (connection: QuickConnection) => void
}

/** Clients that send head and body in two writes send them one after the other; slower ones are Node's to time. */
const partialMaxMs = 20

export class QuickConnection {
  readonly #socket: Socket
  readonly #options: QuickOptions
  #mode: 'idle' | 'partial' | 'answering' | 'over' = 'idle'
  #read: Buffer | undefined
  /** Of its last request. */
  #head: PlainHead | undefined
  #asker: Asker | undefined
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

  closeIfIdle(): void {
    if (this.#mode === 'idle') this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer) => {
    const read = this.#read ? Buffer.concat([this.#read, bytes]) : bytes
    if (this.#mode === 'answering') {
      // sent ahead of its turn: it waits for the answer under way, and nothing more is read
      this.#read = read
      this.#socket.pause()
      return
    }
    const reading = readPlainRequest(read, this.#head)
    const wasPartial = this.#mode === 'partial'
    clearTimeout(this.#late)
    this.#read = undefined
    if (reading.kind === 'whole') {
      this.#head = reading.head
      void this.#answer(reading.request)
    } else if (reading.kind === 'other' || wasPartial) this.#handOver(read)
    else {
      this.#mode = 'partial'
      this.#read = read
      this.#late = setTimeout(() => this.#handOver(read), partialMaxMs)
    }
  }

  /** Also a client that closes only its half counts as gone. */
  readonly #onEnd = () => this.#socket.destroy()

  readonly #onTimeout = () => this.closeIfIdle()

  readonly #onClose = () => {
    if (this.#mode === 'over') return
    this.#mode = 'over'
    clearTimeout(this.#late)
    this.#asker?.leave()
    this.#options.onOver(this)
  }

  async #answer({ method, url, headers, body }: PlainRequest): Promise<void> {
    const { front, isLeaving } = this.#options
    this.#mode = 'answering'
    const hold = front.bodies.open(headers[shadowHeader] !== undefined)
    const asker = new Asker()
    this.#asker = asker
    try {
      const readBody = () => {
        const { bodyMax: bytesMax } = front.limits
        if (body.length > bytesMax) throw tooLarge({ bytesMax })
        hold.take(body.length)
        return body
      }
      const reply = await replyTo(front, { method, url, headers, readBody, asker })
      hold.add(reply.body.length)
      if ((this.#mode as string) === 'over') return hold.release()
      const isLast = isLeaving()
      this.#write(responseBytes(reply, isLast), hold)
      if (isLast) this.#socket.destroySoon()
      else this.#next()
    } catch (error) {
      front.logger.error({ err: error }, 'an answer could not be written')
      hold.release()
      this.#socket.destroy()
    }
  }

  /** A client that does not take its answer in time is cut off: it would hold its memory for ever. */
  #write(bytes: Buffer, hold: BodyHold): void {
    let slow: NodeJS.Timeout | undefined
    // also called where the connection ends first
    this.#socket.write(bytes, () => {
      clearTimeout(slow)
      hold.release()
    })
    if (this.#socket.writableLength === 0) return
    slow = setTimeout(() => this.#socket.destroy(), this.#options.front.limits.bodyTimeout)
  }

  #next(): void {
    this.#mode = 'idle'
    this.#asker = undefined
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
