import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { type LiveEnd, saysNone, type WhyPassedOn } from '../forward/live-watch.ts'
import type { LiveBreaker } from '../routing/live-breaker.ts'

/** A client that leaves sooner after its whole request has not waited for an answer. */
const patienceMs: Milliseconds = 1000

/** What one live request shows of the candidate that the routing gives it to, and of the primary in that one's place. */
export class LiveEvidence {
  readonly #breaker: LiveBreaker
  readonly #clock: Clock
  #wholeAt: Milliseconds | undefined
  #failure: LiveEnd | WhyPassedOn | undefined
  #isPassedOn = false
  #hasPrimaryAnswered = false

  constructor(breaker: LiveBreaker, clock: Clock) {
    this.#breaker = breaker
    this.#clock = clock
  }

  requestIsWhole(): void {
    this.#wholeAt = this.#clock.monotonic()
  }

  candidateResponded(status: number): void {
    this.#failure = saysNone.get(status) ?? 'answered'
    if (this.#failure === 'answered') this.#breaker.close()
  }

  passedOn(why: WhyPassedOn): void {
    this.#isPassedOn = true
    this.#failure = why
  }

  candidateEnded(end: LiveEnd): void {
    // where the primary is asked too, its answer decides
    if (!this.#isPassedOn && this.#counts(this.#failure ?? end)) this.#breaker.failed()
  }

  primaryResponded(status: number): void {
    if (saysNone.has(status)) return
    this.#hasPrimaryAnswered = true
    if (this.#failure !== undefined && this.#counts(this.#failure)) this.#breaker.failed()
  }

  primaryEnded(end: LiveEnd): void {
    if (!this.#hasPrimaryAnswered && end !== 'aborted') this.#breaker.close()
  }

  /** What any client can bring about is no failure, nor is a queue that is full (503). */
  #counts(failure: LiveEnd | WhyPassedOn): boolean {
    const whole = this.#wholeAt
    if (failure === 'answered' || failure === '503') return false
    if (failure === 'reset') return whole !== undefined
    return failure !== 'aborted' || (whole !== undefined && this.#clock.monotonic() - whole >= patienceMs)
  }
}
