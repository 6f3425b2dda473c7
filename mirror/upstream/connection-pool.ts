import type { Milliseconds } from '../../vocabulary/units.ts'
import { Slots } from '../slots.ts'
import { connectTo, type Reads, type Target } from './target.ts'
import { UpstreamConnection } from './upstream-connection.ts'

/** Shorter than any app server's own keep-alive (5 s is common), which else would close under a request's feet. */
const idleMaxMs: Milliseconds = 4000
const idleMax = 1024
const sweepEveryMs = 1000

/** Connections to one upstream. The one that was used last is used first, so that what a peak needed falls idle. */
export class ConnectionPool {
  readonly #target: Target
  readonly #reads: Reads
  readonly #all = new Slots<UpstreamConnection>()
  #idle: UpstreamConnection[] = []
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(target: Target, reads: Reads = 'own') {
    this.#target = target
    this.#reads = reads
  }

  take(): UpstreamConnection {
    const before = performance.now() - idleMaxMs
    for (let kept = this.#idle.pop(); kept; kept = this.#idle.pop()) {
      if (kept.isUsable && kept.idleSince > before) return kept
      kept.destroy()
    }
    return this.fresh()
  }

  /** One that was not idle, for a second try after a kept one turned out closed. */
  fresh(): UpstreamConnection {
    const connection: UpstreamConnection = new UpstreamConnection(
      connectTo(this.#target, this.#reads),
      (idle) => this.#giveBack(idle),
      (gone) => this.#forget(gone, slot),
    )
    const slot = this.#all.add(connection)
    return connection
  }

  /** Those that serve a request end too, as failures of it. */
  destroy(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
    for (const connection of this.#all.all()) connection.destroy()
    this.#idle = []
  }

  #giveBack(connection: UpstreamConnection): void {
    if (this.#isClosed || this.#idle.length >= idleMax) {
      connection.destroy()
      return
    }
    connection.idleSince = performance.now()
    this.#idle.push(connection)
    this.#sweep ??= setInterval(() => this.#closeIdle(), sweepEveryMs).unref()
  }

  #closeIdle(): void {
    const before = performance.now() - idleMaxMs
    const kept = this.#idle.filter((connection) => connection.idleSince > before)
    for (const connection of this.#idle) if (connection.idleSince <= before) connection.destroy()
    this.#idle = kept
    if (kept.length > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #forget(connection: UpstreamConnection, slot: number): void {
    this.#all.free(slot)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}
