import type { Clock } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

/** Per validation; the ledger counts them all. */
const lineEveryMs: Milliseconds = 10_000

/**
 * Logs why the comparator rejects observations. If it does not know a validation, it rejects all of that validation's.
 */
export class Rejections {
  readonly #clock: Clock
  readonly #logger: Logger
  /** Bounded by the number of validations in the config. */
  readonly #told = new Map<string, { at: MonotonicMs; leftOut: number }>()

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  add(validation: string, reason: string): void {
    const told = this.#told.get(validation)
    const now = this.#clock.monotonic()
    if (told && now - told.at < lineEveryMs) {
      told.leftOut++
      return
    }
    const leftOut = told?.leftOut ?? 0
    this.#logger.warn({ validation, reason, leftOut }, 'the comparator rejected an observation')
    this.#told.set(validation, { at: now, leftOut: 0 })
  }
}
