import type { EpochMs, MonotonicMs } from '../vocabulary/units.ts'

/** Passed in wherever time matters, so that tests can set the time. */
export interface Clock {
  now(): EpochMs
  monotonic(): MonotonicMs
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
