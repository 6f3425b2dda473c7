import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

const backoffMinMs = 100
const backoffMaxMs = 10_000
const steadyMs = 10_000
const loopCrashes = 3

/** How often an instance's processes ended by themselves, each soon after the one before. */
export class Crashes {
  readonly #clock: Clock
  #inARow = 0
  #upSince: MonotonicMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A process is up. */
  up(): void {
    this.#upSince = this.#clock.monotonic()
  }

  /** A process ended, which was up or not; how long the next one is to wait. */
  ended(wasUp: boolean): Milliseconds {
    this.#inARow = wasUp && this.#isSteady ? 1 : this.#inARow + 1
    return Math.min(backoffMaxMs, backoffMinMs * 2 ** (this.#inARow - 1))
  }

  /** They keep ending, and the one that may be up has not been so for long. */
  isLoop(isUp: boolean): boolean {
    return this.#inARow >= loopCrashes && !(isUp && this.#isSteady)
  }

  get #isSteady(): boolean {
    return this.#clock.monotonic() - this.#upSince >= steadyMs
  }
}
