import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

const logEveryMs: Milliseconds = 60_000

/**
 * Warns of copies refused for lack of credentials although their live requests were not: one line a minute per
 * validation.
 */
export class RefusedCopies {
  readonly #pace: LogPace
  readonly #logger: Logger

  constructor(clock: Clock, logger: Logger) {
    this.#pace = new LogPace(logEveryMs, clock)
    this.#logger = logger
  }

  add(validation: string, status: number): void {
    if (this.#pace.due(validation) === undefined) return
    this.#logger.warn(
      { validation, status },
      'a copy was refused where its live request was not: copies carry no client credentials; shadow.allowHeaders passes a header on, headers.set sets your own',
    )
  }
}
