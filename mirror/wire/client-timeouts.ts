import type { Socket } from 'node:net'
import type { Milliseconds } from '../../vocabulary/units.ts'

export interface ClientLimits {
  /** Limit for a request's head, from its first byte; shorter once the mirror is leaving. */
  headMaxMs(): Milliseconds
  /** Limit without a byte in either direction between requests; a reload may change it. */
  idleMaxMs(): Milliseconds
  /** The same within a request. */
  stallMaxMs(): Milliseconds
}

/**
 * Ends a client's connection that is silent for too long, and tells of a head that is too slow. If this process was busy
 * when a time ran out, what the client has sent by then may still be unread: that is read first.
 */
export class ClientTimeouts {
  readonly #socket: Socket
  readonly #limits: ClientLimits
  readonly #isBetweenRequests: () => boolean
  readonly #headTooSlow: () => void
  #headTimer: NodeJS.Timeout | undefined
  /** How much of the idle limit had passed when the socket's timer last fired. */
  #idleMs: Milliseconds = 0

  constructor(socket: Socket, limits: ClientLimits, isBetweenRequests: () => boolean, headTooSlow: () => void) {
    this.#socket = socket
    this.#limits = limits
    this.#isBetweenRequests = isBetweenRequests
    this.#headTooSlow = headTooSlow
    socket.setTimeout(limits.idleMaxMs())
    socket.on('timeout', this.#onSilence)
  }

  /** A part of a head has arrived. */
  headContinues(): void {
    if (this.#headTimer) return
    const timer = setTimeout(
      () => setImmediate(() => this.#headTimer === timer && this.#headTooSlow()),
      this.#limits.headMaxMs(),
    )
    this.#headTimer = timer
  }

  /** The head is complete, or none is awaited any more. */
  headOver(): void {
    clearTimeout(this.#headTimer)
    this.#headTimer = undefined
  }

  requestBegan(): void {
    const stallMaxMs = this.#limits.stallMaxMs()
    if (this.#socket.timeout !== stallMaxMs) this.#socket.setTimeout(stallMaxMs)
    this.#idleMs = 0
  }

  /**
   * A stall limit that is shorter than the idle limit keeps running between requests; setting it twice per request
   * would cost every request.
   */
  requestOver(): void {
    const idleMaxMs = this.#limits.idleMaxMs()
    if (idleMaxMs < this.#socket.timeout!) this.#socket.setTimeout(idleMaxMs)
  }

  /** Restarts the timer of a head that has begun, with what `headMaxMs` is now. */
  leave(): void {
    if (!this.#headTimer) return
    this.headOver()
    this.headContinues()
  }

  /** Lets go of a socket that somebody else takes over. */
  release(): void {
    this.headOver()
    this.#socket.setTimeout(0)
    this.#socket.off('timeout', this.#onSilence)
  }

  readonly #onSilence = () => {
    const socket = this.#socket
    const { bytesRead } = socket
    this.#idleMs += socket.timeout!
    const isIdle = this.#isBetweenRequests() && socket.writableLength === 0
    const leftMs = isIdle ? this.#limits.idleMaxMs() - this.#idleMs : 0
    if (leftMs > 0) socket.setTimeout(leftMs)
    else setImmediate(() => socket.bytesRead === bytesRead && socket.destroy())
  }
}
