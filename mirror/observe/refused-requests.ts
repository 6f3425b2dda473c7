import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** Anyone who probes a server sends many of them. */
const logEveryMs: Milliseconds = 1000

/** The statuses of the request parsers, counted from zero; others are added when they occur. */
const usual = [400, 408, 413, 431, 501, 505]

/**
 * Requests that reach no upstream because they are malformed or too slow: counted by status, and logged one line a
 * second.
 */
export class RefusedRequests {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #counts = new Map(usual.map((status) => [status, 0]))
  #lastLineAt = Number.NEGATIVE_INFINITY
  #leftOut = 0

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  /** Counts by status. */
  get counts(): ReadonlyMap<number, number> {
    return this.#counts
  }

  add(status: number, reason: string, client: string | undefined): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1)
    const now = this.#clock.monotonic()
    if (now - this.#lastLineAt < logEveryMs) {
      this.#leftOut++
      return
    }
    this.#logger.warn({ status, reason, client, leftOut: this.#leftOut }, 'a request was refused')
    this.#lastLineAt = now
    this.#leftOut = 0
  }
}
