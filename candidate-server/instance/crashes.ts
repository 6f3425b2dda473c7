import type { Clock } from '../../runtime/clock.ts'
import type { Milliseconds, MonotonicMs } from '../../vocabulary/units.ts'

const backoffMinMs = 100
const backoffMaxMs = 10_000
const steadyMs = 10_000
const loopCrashes = 3

/** Counts an instance's crashes in quick succession. */
export class Crashes {
  readonly #clock: Clock
  #inARow = 0
  #upSince: MonotonicMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call when a process is up. */
  up(): void {
    this.#upSince = this.#clock.monotonic()
  }

  /**
   * Call when a process has ended; `wasUp` says whether it had started. Returns how long to wait before the next start.
   */
  ended(wasUp: boolean): Milliseconds {
    this.#inARow = wasUp && this.#isSteady ? 1 : this.#inARow + 1
    return Math.min(backoffMaxMs, backoffMinMs * 2 ** (this.#inARow - 1))
  }

  /** Whether the processes keep crashing and the current one, if any, has not been up for long. */
  isLoop(isUp: boolean): boolean {
    return this.#inARow >= loopCrashes && !(isUp && this.#isSteady)
  }

  get #isSteady(): boolean {
    return this.#clock.monotonic() - this.#upSince >= steadyMs
  }
}
