import type { Milliseconds } from '../../vocabulary/units.ts'
import { connectTo, type Reads, type Target } from './target.ts'
import { UpstreamConnection } from './upstream-connection.ts'

/** Shorter than most app servers' own keep-alive (5 s is common), which else would close under a request's feet. */
const idleMaxMs: Milliseconds = 4000
/** Given up so much earlier than the upstream says that it closes: its word was on its way, and so is a request. */
const marginMs: Milliseconds = 1000
const ageMaxMs: Milliseconds = 60_000
const idleMax = 1024
const sweepEveryMs = 1000

/**
 * How old a connection may become: one that is never idle would stay for ever with the server that its name, or a
 * balancer, meant when it was made. Those of one burst are not all made anew at one moment.
 */
export const drawAgeMs = (): Milliseconds => ageMaxMs * (0.75 + Math.random() / 4)

/** Connections to one upstream. The one that was used last is used first, so that what a peak needed falls idle. */
export class ConnectionPool {
  readonly #target: Target
  readonly #reads: Reads
  #idle: UpstreamConnection[] = []
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(target: Target, reads: Reads = 'own') {
    this.#target = target
    this.#reads = reads
  }

  take(): UpstreamConnection {
    const now = performance.now()
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      if (kept.isUsable && kept.idleUntil > now) return kept
      kept.destroy()
    }
    return this.fresh()
  }

  /** One that was not idle, for a second try after a kept one turned out closed. */
  fresh(): UpstreamConnection {
    const connection = new UpstreamConnection(
      connectTo(this.#target, this.#reads),
      (idle) => this.#giveBack(idle),
      (gone) => this.#forget(gone),
    )
    connection.keptUntil = performance.now() + drawAgeMs()
    return connection
  }

  /**
   * Idle connections end now, those that serve a request once that is over: whoever asked would not hear of an end that is
   * neither its own doing nor the upstream's.
   */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
    for (const connection of this.#idle) connection.destroy()
    this.#idle = []
  }

  #giveBack(connection: UpstreamConnection): void {
    const keptMs = Math.min(idleMaxMs, (connection.idleMaxMs ?? Number.POSITIVE_INFINITY) - marginMs)
    const now = performance.now()
    const isOld = now >= connection.keptUntil
    if (this.#isClosed || this.#idle.length >= idleMax || keptMs <= 0 || isOld) {
      connection.destroy()
      return
    }
    connection.idleUntil = now + keptMs
    this.#idle.push(connection)
    this.#sweep ??= setInterval(() => this.#closeIdle(), sweepEveryMs).unref()
  }

  #closeIdle(): void {
    const now = performance.now()
    const kept = this.#idle.filter(({ idleUntil }) => idleUntil > now)
    for (const connection of this.#idle) if (connection.idleUntil <= now) connection.destroy()
    this.#idle = kept
    if (kept.length > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #forget(connection: UpstreamConnection): void {
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}
