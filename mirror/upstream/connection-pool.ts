import type { Milliseconds } from '../../vocabulary/units.ts'
import { type ConnectionUse, connectTo, type Target } from './target.ts'
import { UpstreamConnection } from './upstream-connection.ts'

/** The most time that an idle connection is kept. */
const idleMaxMs: Milliseconds = 4000
/**
 * The most if the upstream does not say how long it keeps one itself. Of common app servers, Gunicorn closes soonest,
 * after 2 s, and a POST that is sent just then can't be sent again.
 */
const unannouncedIdleMaxMs: Milliseconds = 1500
/**
 * A connection is dropped this long before the upstream says it will close it: its hint took time to arrive, and a
 * request takes time too.
 */
const marginMs: Milliseconds = 1000
const ageMaxMs: Milliseconds = 60_000
export const idleMax = 1024
const sweepEveryMs = 1000

/** For how long an idle connection is kept whose upstream says that it keeps it for `announcedMs`. */
export const allowedIdleMs = (announcedMs: Milliseconds | undefined): Milliseconds =>
  announcedMs === undefined ? unannouncedIdleMaxMs : Math.min(idleMaxMs, announcedMs - marginMs)

/**
 * The maximum age of a connection. One that is never idle would otherwise stay for ever with the server that a name or
 * a balancer chose when it was made. The age is random so that the connections of one burst are not all replaced at
 * once.
 */
export const drawAgeMs = (): Milliseconds => ageMaxMs * (0.75 + Math.random() / 4)

/**
 * Connections to one upstream. The most recently used one is taken first, so that those opened for a peak fall idle.
 */
export class ConnectionPool {
  readonly #target: Target
  readonly #use: ConnectionUse
  #idle: UpstreamConnection[] = []
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(target: Target, use: ConnectionUse = 'requests') {
    this.#target = target
    this.#use = use
  }

  take(): UpstreamConnection {
    const now = performance.now()
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      if (kept.isUsable && kept.idleUntil > now) return kept
      kept.destroy()
    }
    return this.fresh()
  }

  /** A new connection, such as for a second try after a kept one turned out to be closed. */
  fresh(): UpstreamConnection {
    const connection = new UpstreamConnection(
      connectTo(this.#target, this.#use),
      (idle) => this.#giveBack(idle),
      (gone) => this.#forget(gone),
    )
    connection.keptUntil = performance.now() + drawAgeMs()
    return connection
  }

  /**
   * Ends idle connections now, and busy ones when their request is over. A busy one must not be destroyed here: its
   * sink would never hear of the end, and the request would hang.
   */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
    for (const connection of this.#idle) connection.destroy()
    this.#idle = []
  }

  #giveBack(connection: UpstreamConnection): void {
    // the upstream's own time began when it had sent all, which may have waited here for a slow client
    const keptMs = allowedIdleMs(connection.idleMaxMs) - connection.pausedMs
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
