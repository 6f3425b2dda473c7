import type { Clock } from '../../runtime/clock.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

/**
 * A clock that moves only when it is set, so that days pass in seconds and pictures of one moment are always the same.
 */
export class HandClock implements Clock {
  #now: EpochMs

  constructor(now: EpochMs) {
    this.#now = now
  }

  now(): EpochMs {
    return this.#now
  }

  monotonic(): number {
    return this.#now
  }

  turnTo(at: EpochMs): void {
    if (at < this.#now) throw new Error(`the clock shows ${this.#now} and cannot go back to ${at}`)
    this.#now = at
  }
}
