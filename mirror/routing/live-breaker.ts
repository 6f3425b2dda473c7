import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

interface LiveBreakerOptions {
  /** Failures in a row that open it; with 0 it never opens. */
  failures: number
  cooldownMs: Milliseconds
  /** How long a candidate that hangs keeps a client. */
  silenceMaxMs: Milliseconds
  /** Called when it opens and when it closes. */
  turned: () => void
}

/**
 * Decides whether a request that is routed to a candidate is sent to it first. It is, unless the candidate has failed
 * repeatedly:
 *
 *     closed ── `failures` in a row ──▶ open ── the candidate answered one ──▶ closed
 *                                            ── or the primary did not
 *
 * While it is open the candidate gets the first request after each cooldown, so that it is judged by real client requests
 * rather than by its copies, which have limits and a breaker of their own. The next cooldown begins when that request, a
 * probe, has ended: until then the candidate may hang, and no second client must wait for it. See
 * `exchange/breaker-evidence.ts` for what counts.
 */
export class LiveBreaker {
  readonly #options: LiveBreakerOptions
  readonly #clock: Clock
  #failuresInARow = 0
  #isOpen = false
  #nextAt: Milliseconds = 0

  /** `before`: the breaker of the same candidate under an older config. */
  constructor(options: LiveBreakerOptions, clock: Clock, before?: LiveBreaker) {
    this.#options = options
    this.#clock = clock
    if (!before?.isOpen || options.failures === 0) return
    this.#isOpen = true
    this.#nextAt = Math.min(before.#nextAt, clock.monotonic() + options.cooldownMs)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether one request may be sent to the candidate now. */
  admits(): boolean {
    if (!this.#isOpen) return true
    const now = this.#clock.monotonic()
    if (now < this.#nextAt) return false
    const { cooldownMs, silenceMaxMs } = this.#options
    this.#nextAt = now + Math.max(cooldownMs, silenceMaxMs)
    return true
  }

  /** Must be called when a request that was admitted while open has ended, in whatever way. */
  probeEnded(): void {
    this.#nextAt = Math.min(this.#nextAt, this.#clock.monotonic() + this.#options.cooldownMs)
  }

  failed(): void {
    this.#failuresInARow++
    const { failures, cooldownMs, turned } = this.#options
    if (this.#isOpen || failures === 0 || this.#failuresInARow < failures) return
    this.#isOpen = true
    this.#nextAt = this.#clock.monotonic() + cooldownMs
    turned()
  }

  close(): void {
    this.#failuresInARow = 0
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#options.turned()
  }
}
