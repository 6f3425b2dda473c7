import type { Clock } from '../../runtime/clock.ts'
import { LogPace } from '../../runtime/log-pace.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** Anyone who probes a server causes many of them. */
const logEveryMs: Milliseconds = 1000

/**
 * TLS handshakes that one side broke off for a reason, such as a certificate that has expired: counted, and logged one
 * line a second. A client that leaves without a word, as port probes do, is none.
 */
export class FailedHandshakes {
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

  add({ code, reason }: NodeJS.ErrnoException & { reason?: string }, client: string | undefined): void {
    if (!code?.startsWith('ERR_SSL_')) return
    this.#count++
    const leftOut = this.#pace.due()
    if (leftOut !== undefined) this.#logger.warn({ code, reason, client, leftOut }, 'a TLS handshake failed')
  }
}
