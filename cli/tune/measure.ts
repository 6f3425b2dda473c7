import type { Milliseconds } from '../../vocabulary/units.ts'
import { startClosedLoop } from '../load/closed-loop.ts'
import { Latencies } from '../load/latencies.ts'
import { LoadClient } from '../load/load-client.ts'
import type { StoredRequest } from '../load/stored-requests.ts'
import type { Failures } from '../load/tally.ts'
import type { Configuration } from './configuration.ts'
import { agree, measureWindow, spreadOf, type Window } from './measured-window.ts'
import type { ServerProcess } from './server-process.ts'

export interface LatencyLimit {
  /** `undefined`: maximise throughput regardless of latency. */
  latencyMs: Milliseconds | undefined
  percentile: number
}

/** One configuration under a given number of concurrent clients. */
export interface Level {
  concurrency: number
  requests: number
  failures: number
  /** The reason and response of the first failure; empty if there is none. */
  failureExample: string
  /** Answered requests per second. */
  throughput: number
  latencyMs: { p50: number; p90: number; p95: number; p99: number; limited: number }
  /** (max − min) ÷ mean of the windows' throughput. */
  noise: number
  /** Whether the windows finally agreed and nothing else used the CPUs meanwhile. */
  steady: boolean
  /** Average number of CPUs that the server kept busy; `null` if the system does not say. */
  cpus: number | null
  /** CPUs busy with neither the server nor the load; `null` if the system does not say. */
  othersCpus: number | null
  throttledPeriods: number | null
  /** `null` without a limit. */
  satisfies: boolean | null
}

interface MeasureOptions {
  requests: readonly StoredRequest[]
  limit: LatencyLimit
  windowMs: Milliseconds
  /** A fixed number of clients instead of an increasing one. */
  concurrency: number | undefined
  /** The CPUs that the server may run on. */
  allowedCpus: readonly number[]
  signal: AbortSignal
  onLevel: (level: Level) => void
}

const timeoutMs = 30_000
/** So many windows in a row must agree. */
const steadyWindows = 3
const windowsMax = 8
const levelsMax = 4
const gainMin = 0.05

/**
 * Starts with as many clients as fill every instance's batch, and doubles them while the limit holds and throughput
 * grows. Returns all levels, at least one; the last may be one that broke the limit or gained nothing.
 */
export async function measureLevels(
  server: ServerProcess,
  { instances, sizeMax }: Configuration,
  options: MeasureOptions,
): Promise<Level[]> {
  const levels: Level[] = []
  let concurrency = options.concurrency ?? instances * sizeMax
  for (;;) {
    const level = await measureLevel(server, concurrency, options)
    levels.push(level)
    options.onLevel(level)
    const before = levels.at(-2)
    const grows = before === undefined || level.throughput > before.throughput * (1 + gainMin)
    const goesOn = options.concurrency === undefined && levels.length < levelsMax
    if (!goesOn || !grows || level.failures > 0 || level.satisfies === false) return levels
    concurrency *= 2
  }
}

/** Measures windows under load until three in a row agree; those three are the result. */
async function measureLevel(server: ServerProcess, concurrency: number, options: MeasureOptions): Promise<Level> {
  const { requests, windowMs, signal, allowedCpus } = options
  const client = new LoadClient({ target: server.url, connections: concurrency, timeoutMs })
  const close = () => void client.close()
  signal.addEventListener('abort', close)
  const loop = startClosedLoop({ client, requests, concurrency, timeoutMs, signal })
  try {
    await loop.window(windowMs / 2, concurrency) // counting starts once every client has had an answer
    const windows: Window[] = []
    const last = () => windows.slice(-steadyWindows)
    const doAgree = () => agree(last(), steadyWindows, allowedCpus.length)
    do windows.push(await measureWindow(loop, server, windowMs, allowedCpus))
    while (windows.length < windowsMax && !doAgree())
    return levelOf(concurrency, last(), doAgree(), options.limit)
  } finally {
    signal.removeEventListener('abort', close)
    await loop.stop()
    await client.close()
  }
}

const describeFailure = ([reason, { example }]: [string, Failures]) => `${reason}${example && `, ${example}`}`

function levelOf(concurrency: number, windows: Window[], steady: boolean, limit: LatencyLimit): Level {
  const latencies = new Latencies()
  for (const { tally } of windows) latencies.add(tally.total.latencies)
  const sum = (of: (window: Window) => number | undefined) =>
    windows.reduce<number | undefined>((total, window) => {
      const value = of(window)
      return total === undefined || value === undefined ? undefined : total + value
    }, 0)
  const elapsedMs = sum((window) => window.elapsedMs)!
  const failures = sum(({ tally }) => tally.total.failures)!
  const used = (ms: Milliseconds | undefined) => (ms === undefined ? null : ms / elapsedMs)
  const limited = latencies.percentile(limit.percentile)
  return {
    concurrency,
    requests: sum(({ tally }) => tally.total.requests)!,
    failures,
    failureExample: windows.flatMap(({ tally }) => [...tally.byReason].map(describeFailure))[0] ?? '',
    throughput: (latencies.count * 1000) / elapsedMs,
    latencyMs: {
      p50: latencies.percentile(50),
      p90: latencies.percentile(90),
      p95: latencies.percentile(95),
      p99: latencies.percentile(99),
      limited,
    },
    noise: spreadOf(windows.map(({ throughput }) => throughput)),
    steady,
    cpus: used(sum(({ cpuMs }) => cpuMs)),
    othersCpus: used(sum(({ othersMs }) => othersMs)),
    throttledPeriods: sum(({ throttled }) => throttled) ?? null,
    satisfies: limit.latencyMs === undefined ? null : limited <= limit.latencyMs && failures === 0,
  }
}
