import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

export interface LiveBreakerOptions {
  /** In a row; with 0 it never opens. */
  failures: number
  cooldownMs: Milliseconds
  /** Told once it is open, and once it is closed again. */
  turned: () => void
}

/**
 * Whether a request that the routing gives to a candidate goes to it first. It does, until it has failed again and again:
 *
 *     closed ── `failures` in a row ──▶ open ── the candidate answered one ──▶ closed
 *                                            ── or the primary did not
 *
 * While it is open the candidate gets the first request in each cooldown, so that it is judged by what clients ask of it
 * and not by the limits of copies; these have a breaker of their own. What counts: `exchange/live-evidence.ts`.
 */
export class LiveBreaker {
  readonly #options: LiveBreakerOptions
  readonly #clock: Clock
  #failuresInARow = 0
  #isOpen = false
  #nextAt: Milliseconds = 0

  /** `before`: of the same candidate under an older config. */
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

  /** For one request, to be sent now. */
  admits(): boolean {
    if (!this.#isOpen) return true
    const now = this.#clock.monotonic()
    if (now < this.#nextAt) return false
    this.#nextAt = now + this.#options.cooldownMs
    return true
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
