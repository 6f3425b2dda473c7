import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
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
  readonly #pace: LogPace
  readonly #logger: Logger
  readonly #counts = new Map(usual.map((status) => [status, 0]))

  constructor(clock: Clock, logger: Logger) {
    this.#pace = new LogPace(logEveryMs, clock)
    this.#logger = logger
  }

  /** Counts by status. */
  get counts(): ReadonlyMap<number, number> {
    return this.#counts
  }

  add(status: number, reason: string, client: string | undefined): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1)
    const leftOut = this.#pace.due()
    if (leftOut !== undefined) this.#logger.warn({ status, reason, client, leftOut }, 'a request was refused')
  }
}
