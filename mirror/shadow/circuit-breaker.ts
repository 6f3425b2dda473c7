import type { Clock } from '../../runtime/clock.ts'
import type { BreakerState } from '../../vocabulary/mirrors.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { LegOutcome } from '../capture/leg-outcome.ts'

export interface BreakerOptions {
  /** Failures in a row that open it; with 0 it never opens. */
  failures: number
  cooldownMs: Milliseconds
  /** Called when it leaves `closed` and when it is closed again; not for failed probes in between. */
  turned?: () => void
}

/** Returned to the breaker with the outcome of the request that it let through. */
export type Permit = number & { readonly brand: 'Permit' }

/**
 * Keeps requests from an upstream that gives no comparable answers, so that they do not hold connections and bodies
 * until their deadlines:
 *
 *     closed ── `failures` in a row ──▶ open ── `cooldownMs` later ──▶ halfOpen ── its probe was answered ──▶ closed
 *                                        ▲                                │
 *                                        └────────── its probe failed ────┘
 *
 * In `halfOpen`, one request at a time passes as the probe. The cooldown does not grow with failures: one request per
 * cooldown is no burden, and a recovered upstream is noticed within one. Outcomes of requests sent before the last
 * change of mode say nothing about the upstream now and are ignored.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions
  readonly #clock: Clock
  readonly #opened: () => void
  #mode: BreakerState = 'closed'
  /** Counts changes of mode: a permit from an earlier period is void. */
  #period = 0
  #failuresInARow = 0
  #openUntil: Milliseconds = 0
  #isProbing = false

  /** `opened` is called every time it opens. */
  constructor(options: BreakerOptions, clock: Clock, opened: () => void) {
    this.#options = options
    this.#clock = clock
    this.#opened = opened
  }

  /**
   * Takes over the state of a breaker that watched the same upstream, under this one's options. Requests in flight
   * still report to the old breaker.
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

  /** Whether requests pass freely, not only as probes. */
  get isClosed(): boolean {
    return this.#mode === 'closed'
  }

  /** Asks to send one request now; undefined if it may not be sent. */
  enter(): Permit | undefined {
    const { mode } = this
    if (mode !== this.#mode) this.#become(mode)
    if (this.#mode === 'open' || this.#isProbing) return undefined
    this.#isProbing = this.#mode === 'halfOpen'
    return this.#period as Permit
  }

  /**
   * Must be called once for each permit. An error status is an answer. `tooLarge` is a failure, since such a response
   * can't be compared and costs a connection each time. `shed` was our doing and counts as neither.
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
