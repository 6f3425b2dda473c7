import type { EpochMs, Milliseconds } from '../vocabulary/units.ts'

/** Passed in wherever time matters, so that tests turn the hands themselves. */
export interface Clock {
  now(): EpochMs
  /** Never goes backwards; for durations. */
  monotonic(): Milliseconds
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
