import type { Milliseconds } from '../../vocabulary/units.ts'

/**
 * Larger bodies use fewer connections and a lower rate: load generator, primary and candidate share the remaining CPUs.
 */
interface Payload {
  name: string
  requestBytes: number
  connections: number
  requestsPerSecond: number
}

/**
 * At least `min` rounds, then more until every side's rounds lie within `stableRange` of their median, `max` at most.
 */
export interface Rounds {
  durationMs: Milliseconds
  min: number
  max: number
  /** (max − min) / median. */
  stableRange: number
}

export interface PayloadPlan {
  payload: Payload
  /** Before each side's first round, not counted: for just-in-time compilers and caches. */
  warmUpMs: Milliseconds
  saturated: Rounds
  fixedRate: Rounds
}

interface Plan {
  /** The size that the goals refer to, measured on all sides. */
  main: PayloadPlan
  others: PayloadPlan[]
}

/** Sides whose result does not depend on the size. */
export const onlyAtMainSize: ReadonlySet<string> = new Set([
  'nginx-mirror-hung',
  'http-proxy-3-share-0',
  'http-proxy-3-share-100',
])

const KiB = 1024
const MiB = 1024 * KiB
const main: Payload = { name: '2 KB', requestBytes: 2 * KiB, connections: 32, requestsPerSecond: 500 }
const others: Payload[] = [
  { name: '100 B', requestBytes: 100, connections: 32, requestsPerSecond: 500 },
  { name: '200 KB', requestBytes: 200 * KiB, connections: 8, requestsPerSecond: 100 },
  { name: '5 MB', requestBytes: 5 * MiB, connections: 4, requestsPerSecond: 10 },
]

const rounds = (durationMs: Milliseconds, count: number): Rounds => ({
  durationMs,
  min: count,
  max: count,
  stableRange: 0.1,
})

export const fullPlan: Plan = {
  main: { payload: main, warmUpMs: 2500, saturated: rounds(2000, 3), fixedRate: rounds(2500, 9) },
  others: others.map((payload) => ({
    payload,
    warmUpMs: 300,
    saturated: rounds(800, 3),
    fixedRate: rounds(1200, 3),
  })),
}

export const quickPlan: Plan = {
  main: { payload: main, warmUpMs: 400, saturated: rounds(700, 1), fixedRate: rounds(700, 1) },
  others: others.map((payload) => ({
    payload,
    warmUpMs: 100,
    saturated: rounds(200, 1),
    fixedRate: rounds(300, 1),
  })),
}
