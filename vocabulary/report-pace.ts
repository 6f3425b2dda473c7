import type { Milliseconds } from './units.ts'

/** Where nothing has changed, a mirror still says this often that it is there. */
export const heartbeatMs: Milliseconds = 30_000

/** A mirror says this often how it is. */
export const mirrorReportMs: Milliseconds = 5000

/** After six reports missed, it counts as silent. */
export const mirrorSilentMs: Milliseconds = 6 * mirrorReportMs
