import { dayMs, type Milliseconds } from './units.ts'

/** How often a mirror reports that it is there even if nothing has changed. */
export const heartbeatMs: Milliseconds = 30_000

/** How often a mirror reports its state. */
export const mirrorReportMs: Milliseconds = 5000

/** A mirror counts as silent after six missed reports. */
export const mirrorSilentMs: Milliseconds = 6 * mirrorReportMs

/** How long after its last report the comparator forgets a mirror. */
export const mirrorKeptMs: Milliseconds = dayMs
