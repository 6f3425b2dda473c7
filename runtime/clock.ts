import type { EpochMs, MonotonicMs } from '../vocabulary/units.ts'

/** Passed in wherever time matters, so that tests turn the hands themselves. */
export interface Clock {
  now(): EpochMs
  monotonic(): MonotonicMs
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
