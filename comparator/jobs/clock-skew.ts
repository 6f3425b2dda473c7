import { type Milliseconds, minuteMs } from '../../vocabulary/units.ts'

/** How far ahead of ours a time may be and count; one further ahead comes from a clock that is or was wrong. */
export const futureMax: Milliseconds = 5 * minuteMs
