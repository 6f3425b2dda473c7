import { setTimeout as sleep } from 'node:timers/promises'
import { quantileSorted } from 'simple-statistics'
import { Connection } from './connection.ts'
import { startPacer } from './pacer.ts'
import { isExpected } from './payload.ts'
import { requestMessage } from './request-message.ts'

export interface FixedRateLoad {
  kind: 'fixedRate'
  port: number
  connections: number
  requestsPerSecond: number
  durationMs: number
  /** Time after the first arrival in which requests are sent and checked, but their latency is not counted. */
  uncountedMs?: number
  /** Body sizes, used in rotation. */
  requestBytes: readonly number[]
  /** How long to wait for outstanding responses after the last arrival. */
  patienceMs: number
}
export interface FixedRateResult {
  /** Those that count, ascending. */
  latenciesMs: number[]
  p50Ms: number
  p95Ms: number
  p99Ms: number
  requests: number
  errors: number
  /** Requests without a response at the end of the round; they count in the quantiles with the time they had waited. */
  unanswered: number
  /** How late the load generator itself was (p99): the resolution limit of the latencies. */
  latenessP99Ms: number
}

/**
 * Open loop: requests arrive at their own times regardless of the responses, and each latency counts from the intended
 * arrival, including any wait for a free connection (no coordinated omission).
 */
export async function loadFixedRate(load: FixedRateLoad): Promise<FixedRateResult> {
  const messages = new Map(load.requestBytes.map((bytes) => [bytes, requestMessage(load.port, bytes)]))
  const inTurn = load.requestBytes.map((bytes) => messages.get(bytes)!)
  const clients = Array.from({ length: load.connections }, () => new Connection(load.port))
  await sleep(100) // lets connections open before the first arrival
  const free = [...clients]
  const waiting: number[] = []
  const underWay = new Set<number>()
  let countedFrom = Number.POSITIVE_INFINITY
  const latencies: number[] = []
  const lateness: number[] = []
  let sent = 0
  let errors = 0

  const count = (intendedAt: number) => {
    if (intendedAt >= countedFrom) latencies.push(performance.now() - intendedAt)
  }
  const send = (client: Connection, intendedAt: number) => {
    underWay.add(intendedAt)
    client.send(inTurn[sent++ % inTurn.length]!, (answer) => {
      underWay.delete(intendedAt)
      count(intendedAt)
      if (!isExpected(answer)) errors++
      const next = waiting.shift()
      if (next === undefined) free.push(client)
      else send(client, next)
    })
  }
  const arrive = (intendedAt: number) => {
    if (sent === 0) countedFrom = intendedAt + (load.uncountedMs ?? 0)
    lateness.push(performance.now() - intendedAt)
    const client = free.pop()
    if (client) send(client, intendedAt)
    else waiting.push(intendedAt)
  }

  await startPacer({ requestsPerSecond: load.requestsPerSecond, durationMs: load.durationMs }, arrive)
  const givenUpAt = performance.now() + load.patienceMs
  while (underWay.size + waiting.length > 0 && performance.now() < givenUpAt) await sleep(10)
  const left = [...underWay, ...waiting]
  for (const intendedAt of left) count(intendedAt)
  for (const client of clients) client.close()

  latencies.sort((a, b) => a - b)
  lateness.sort((a, b) => a - b)
  return {
    latenciesMs: latencies,
    p50Ms: quantileSorted(latencies, 0.5),
    p95Ms: quantileSorted(latencies, 0.95),
    p99Ms: quantileSorted(latencies, 0.99),
    requests: lateness.length,
    errors,
    unanswered: left.length,
    latenessP99Ms: quantileSorted(lateness, 0.99),
  }
}
