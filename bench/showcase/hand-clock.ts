import type { Clock } from '../../runtime/clock.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

/** Stands still but when it is turned, so that days pass in seconds and pictures of one moment are the same ones. */
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
