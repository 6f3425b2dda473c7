import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

const logEveryMs: Milliseconds = 60_000

/**
 * Warns of copies refused for lack of credentials although their live requests were not: one line a minute per
 * validation.
 */
export class RefusedCopies {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #lastLineAt = new Map<string, MonotonicMs>()

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  add(validation: string, status: number): void {
    const now = this.#clock.monotonic()
    if (now - (this.#lastLineAt.get(validation) ?? Number.NEGATIVE_INFINITY) < logEveryMs) return
    this.#lastLineAt.set(validation, now)
    this.#logger.warn(
      { validation, status },
      'a copy was refused where its live request was not: copies carry no client credentials; shadow.allowHeaders passes a header on, headers.set sets your own',
    )
  }
}
