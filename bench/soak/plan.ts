import type { Milliseconds } from '../../vocabulary/units.ts'

const KiB = 1024
export const smallBytes = 2 * KiB
export const largeBytes = 200 * KiB

/** One request in twenty is large: 12 MB/s of bodies, four times through one CPU's load generator and backends. */
const largeEvery = 20
export const largeShare = 1 / largeEvery
export const requestBytes: readonly number[] = [...Array<number>(largeEvery - 1).fill(smallBytes), largeBytes]

export const requestsPerSecond = 1000
export const warmUpRequestsPerSecond = 250
export const connections = 64
/** As long as the mirror itself has for a request; what is not answered then was lost. */
export const patienceMs: Milliseconds = 30_000

export interface SoakPlan {
  /** At a part of the rate, so that the compilers are through before the whole of it arrives. */
  warmUpMs: Milliseconds
  durationMs: Milliseconds
  sampleEveryMs: Milliseconds
}

const minuteMs = 60_000
const warmUpMaxMs = 30_000
const sampleEveryMaxMs = 10_000
/** Fewer than this in half of the run say little about a slope. */
const samplesMin = 30

export function soakPlan(minutes: number): SoakPlan {
  const durationMs = minutes * minuteMs
  return {
    durationMs,
    warmUpMs: Math.min(warmUpMaxMs, durationMs / 4),
    sampleEveryMs: Math.min(sampleEveryMaxMs, durationMs / samplesMin),
  }
}
