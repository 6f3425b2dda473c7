/** For tests: rows as if they had been measured. */
import type { Configuration } from './configuration.ts'
import type { Level } from './measure.ts'
import { rowOf } from './rows.ts'

export const configuration: Configuration = {
  instances: 2,
  threads: 1,
  sizeMax: 4,
  delayMs: 1,
  allocator: 'jemalloc',
  spinning: 'auto',
  hugePages: false,
  graphOptimization: 'all',
  memoryArena: true,
  amx: true,
  spaceToDepth: true,
}
export const level = (throughput: number, p99: number, more: Partial<Level> = {}): Level => ({
  concurrency: 8,
  requests: 1000,
  failures: 0,
  failureExample: '',
  throughput,
  latencyMs: { p50: p99 / 4, p90: p99 / 2, p95: p99 / 1.5, p99, limited: p99 },
  noise: 0.02,
  steady: true,
  cpus: 1.91,
  othersCpus: 0.02,
  throttledPeriods: 3,
  satisfies: p99 <= 50,
  ...more,
})
export const row = (more: Partial<Configuration>, ...levels: Level[]) => rowOf({ ...configuration, ...more }, levels)
