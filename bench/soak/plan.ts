import type { Milliseconds } from '../../vocabulary/units.ts'

const KiB = 1024
export const smallBytes = 2 * KiB
export const largeBytes = 200 * KiB

/** One request in twenty is large: 12 MB/s of bodies, four times through the one CPU of load generator and backends. */
const largeEvery = 20
export const largeShare = 1 / largeEvery
export const requestBytes: readonly number[] = [...Array<number>(largeEvery - 1).fill(smallBytes), largeBytes]

export const requestsPerSecond = 1000
export const warmUpRequestsPerSecond = 250
export const connections = 64
/** The mirror's own limit for a request; one not answered by then is lost. */
export const patienceMs: Milliseconds = 30_000

export interface SoakPlan {
  /** At a fraction of the rate, so that compilation is over before the full rate begins. */
  warmUpMs: Milliseconds
  durationMs: Milliseconds
  sampleEveryMs: Milliseconds
}

const minuteMs = 60_000
const warmUpMaxMs = 30_000
const sampleEveryMaxMs = 10_000
/** With fewer samples than this in half of the run, a slope means little. */
const samplesMin = 30

export function soakPlan(minutes: number): SoakPlan {
  const durationMs = minutes * minuteMs
  return {
    durationMs,
    warmUpMs: Math.min(warmUpMaxMs, durationMs / 4),
    sampleEveryMs: Math.min(sampleEveryMaxMs, durationMs / samplesMin),
  }
}
