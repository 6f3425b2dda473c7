import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

const logEveryMs: Milliseconds = 60_000

/** Idle clients closed because file descriptors ran short: counted, and logged one line a minute. */
export class ClosedIdle {
  readonly #pace: LogPace
  readonly #logger: Logger
  #count = 0

  constructor(clock: Clock, logger: Logger) {
    this.#pace = new LogPace(logEveryMs, clock)
    this.#logger = logger
  }

  get count(): number {
    return this.#count
  }

  add(clients: number): void {
    this.#count += clients
    if (this.#pace.due() === undefined) return
    this.#logger.warn(
      { closed: this.#count },
      'file descriptors run short: the clients that are idle the longest are closed; raise the limit of open files or lower idleTimeout',
    )
  }
}
