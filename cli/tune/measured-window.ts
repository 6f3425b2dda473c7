import type { Milliseconds } from '../../vocabulary/units.ts'
import type { ClosedLoop } from '../load/closed-loop.ts'
import type { Tally } from '../load/tally.ts'
import { busyMs, cpuTimeMs, throttledPeriods } from './cpu-time.ts'
import type { ServerProcess } from './server-process.ts'

/** Enough requests that a p99 is not simply the maximum. */
const windowRequestsMin = 50
/** Share of all CPUs; beyond it, a window says little about the server. */
const othersShareMax = 0.1

/** What was measured in one span of time. */
export interface Window {
  tally: Tally
  elapsedMs: Milliseconds
  throughput: number
  cpuMs: Milliseconds | undefined
  othersMs: Milliseconds | undefined
  throttled: number | undefined
}

export async function measureWindow(
  loop: ClosedLoop,
  { pids }: ServerProcess,
  windowMs: Milliseconds,
  allowedCpus: readonly number[],
): Promise<Window> {
  const account = () => ({
    server: cpuTimeMs(pids()),
    load: cpuTimeMs([process.pid]),
    all: busyMs(allowedCpus),
    throttled: throttledPeriods(),
  })
  const before = account()
  const { tally, elapsedMs } = await loop.window(windowMs, windowRequestsMin)
  const after = account()
  const since = (of: keyof typeof before) => difference(after[of], before[of])
  const cpuMs = since('server')
  const othersMs = difference(difference(since('all'), cpuMs), since('load'))
  return {
    tally,
    elapsedMs,
    throughput: (tally.total.latencies.count * 1000) / elapsedMs,
    cpuMs,
    // ticks are coarse, so the difference may be negative
    othersMs: othersMs === undefined ? undefined : Math.max(0, othersMs),
    throttled: since('throttled'),
  }
}

/** Whether so many windows lie close together and nothing else used the CPUs meanwhile. */
export function agree(windows: readonly Window[], count: number, cpuCount: number): boolean {
  const isQuiet = windows.every(({ othersMs = 0, elapsedMs }) => othersMs <= othersShareMax * cpuCount * elapsedMs)
  return (
    isQuiet &&
    isSteady(
      windows.map(({ throughput }) => throughput),
      count,
    )
  )
}

const difference = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? undefined : a - b

/** Windows agree if they lie within this share of their mean. */
const agreement = 0.1

/** (max − min) ÷ mean; NaN without values, or if all are zero. */
export function spreadOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return (Math.max(...values) - Math.min(...values)) / mean
}

export function isSteady(values: readonly number[], count: number): boolean {
  if (values.length < count) return false
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.every((value) => Math.abs(value - mean) <= agreement * mean)
}
