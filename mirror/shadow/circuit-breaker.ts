import type { Clock } from '../../runtime/clock.ts'
import type { BreakerState } from '../../vocabulary/mirrors.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { LegOutcome } from '../exchange/leg-outcome.ts'

export interface BreakerOptions {
  /** In a row; with 0 it never opens. */
  failures: number
  cooldownMs: Milliseconds
  /** Told once it is not closed any more, and once it is again; not of probes that fail between. */
  turned?: () => void
}

/** Goes back to the breaker with the outcome of the request that it let through. */
export type Permit = number & { readonly brand: 'Permit' }

/**
 * Keeps requests from an upstream that gives no answer that can be compared, so that they hold neither connections nor
 * bodies until their deadlines:
 *
 *     closed ── `failures` in a row ──▶ open ── `cooldownMs` later ──▶ halfOpen ── its probe was answered ──▶ closed
 *                                        ▲                                │
 *                                        └────────── its probe failed ────┘
 *
 * Half-open, one request at a time passes as the probe. The cooldown stays the same however often it fails: one request
 * in each is no burden, and an upstream that is back is seen within one of them. What was sent before the last change
 * of mode says nothing of the upstream as it is now, and is not heard.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  readonly #clock: Clock
  readonly #opened: () => void
  #mode: BreakerState = 'closed'
  /** Counts changes of mode: a permit of an earlier one is void. */
  #period = 0
  #failuresInARow = 0
  #openUntil: Milliseconds = 0
  #isProbing = false

  /** `opened` is called each time that it opens. */
  constructor(options: BreakerOptions, clock: Clock, opened: () => void) {
    this.#options = options
    this.#clock = clock
    this.#opened = opened
  }

  /**
   * Takes over from one that watched the same upstream, under options of its own; what that has under way it hears of by
   * itself.
   */
  continue(before: CircuitBreaker): void {
    const { failures, cooldownMs } = this.#options
    if (before.#mode === 'closed' || failures === 0) return
    this.#openUntil = Math.min(before.#openUntil, this.#clock.monotonic() + cooldownMs)
    this.#become('open')
  }

  get mode(): BreakerState {
    const isCool = this.#mode === 'open' && this.#clock.monotonic() >= this.#openUntil
    return isCool ? 'halfOpen' : this.#mode
  }

  /** Whether requests pass without being a probe. */
  get isClosed(): boolean {
    return this.#mode === 'closed'
  }

  /** For one request, to be sent now; undefined where none may be. */
  enter(): Permit | undefined {
    const { mode } = this
    if (mode !== this.#mode) this.#become(mode)
    if (this.#mode === 'open' || this.#isProbing) return undefined
    this.#isProbing = this.#mode === 'halfOpen'
    return this.#period as Permit
  }

  /**
   * To be called once for each permit. An error status is an answer; what was `tooLarge` is none, since it can be
   * compared with nothing and costs a connection each time; `shed` was our doing and speaks for neither.
   */
  leave(permit: Permit, kind: LegOutcome['kind']): void {
    if (permit !== this.#period) return
    this.#isProbing = false
    if (kind === 'shed') return
    if (kind !== 'answered') this.#failed()
    else if (this.#mode === 'halfOpen') this.#become('closed')
    else this.#failuresInARow = 0
  }

  #failed(): void {
    const { failures, cooldownMs } = this.#options
    this.#failuresInARow++
    const isEnough = failures > 0 && this.#failuresInARow >= failures
    if (this.#mode === 'closed' && !isEnough) return
    this.#openUntil = this.#clock.monotonic() + cooldownMs
    this.#become('open')
    this.#opened()
  }

  #become(mode: BreakerState): void {
    const wasClosed = this.isClosed
    this.#mode = mode
    this.#period++
    this.#failuresInARow = 0
    if (wasClosed !== this.isClosed) this.#options.turned?.()
  }
}
