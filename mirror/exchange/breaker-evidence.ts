import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type LiveEnd, noAnswerStatuses } from '../live/live-watch.ts'
import type { LiveBreaker } from '../routing/live-breaker.ts'
import type { UpstreamGroup } from '../upstream/upstream-group.ts'

/** A client that leaves sooner than this after its whole request has not waited for an answer. */
const patienceMs: Milliseconds = 1000

/**
 * What one request that was routed to a candidate tells the candidate's live breaker:
 *
 * - closed: the candidate gave a complete answer with a status other than 502, 503 or 504; or the primary was asked and
 *   did no better.
 * - failed: the candidate gave no complete answer, or such a status, and the primary answered, or was not asked and is
 *   healthy.
 * - nothing: whatever a client can cause by itself, or our own system.
 *
 * The candidate's end is known before the primary that stands in for it has answered.
 */
export class BreakerEvidence {
  readonly #breaker: LiveBreaker
  readonly #primary: UpstreamGroup
  readonly #clock: Clock
  /** Whether the breaker was open when it admitted the request. */
  readonly #isProbe: boolean
  #wholeAt: Milliseconds | undefined
  #status: number | undefined
  #isPassedOn = false
  #hasFailed = false
  #hasPrimaryAnswered = false

  constructor(breaker: LiveBreaker, primary: UpstreamGroup, clock: Clock) {
    this.#breaker = breaker
    this.#primary = primary
    this.#clock = clock
    this.#isProbe = breaker.isOpen
  }

  requestIsWhole(): void {
    this.#wholeAt = this.#clock.monotonic()
  }

  candidateResponded(status: number): void {
    this.#status = status
  }

  passedOn(): void {
    this.#isPassedOn = true
  }

  candidateEnded(end: LiveEnd): void {
    if (this.#isProbe) this.#breaker.probeEnded()
    this.#hasFailed = this.#isFailure(end)
    if (!this.#hasFailed) {
      if (end === 'answered') this.#breaker.close()
      return
    }
    // if the primary is asked too, its answer decides
    if (!this.#isPassedOn && this.#primary.isAnyHealthy) this.#breaker.failed()
  }

  primaryResponded(status: number): void {
    if (noAnswerStatuses.has(status)) return
    this.#hasPrimaryAnswered = true
    if (this.#hasFailed) this.#breaker.failed()
  }

  primaryEnded(end: LiveEnd): void {
    if (!this.#hasPrimaryAnswered && end !== 'aborted' && end !== 'shed') this.#breaker.close()
  }

  #isFailure(end: LiveEnd): boolean {
    if (noAnswerStatuses.has(this.#status ?? 0)) return true
    if (end === 'refused' || end === 'timedOut') return true
    if (this.#wholeAt === undefined) return false
    if (end === 'reset') return true
    const hasWaited = this.#clock.monotonic() - this.#wholeAt >= patienceMs
    return end === 'aborted' && this.#status === undefined && hasWaited
  }
}
