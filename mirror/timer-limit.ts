import type { Milliseconds } from '../vocabulary/units.ts'

/** Timers take no more: 24.8 days. */
export const timerMsMax: Milliseconds = 2 ** 31 - 1
