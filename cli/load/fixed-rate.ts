import type { Milliseconds } from '../../vocabulary/units.ts'
import { arrivals, type Pace } from './arrivals.ts'
import { Latencies } from './latencies.ts'
import type { LoadClient } from './load-client.ts'
import { pace, sharedNow } from './pacer.ts'
import { nameOf, type StoredRequest } from './stored-requests.ts'
import { Tally } from './tally.ts'

interface FixedRateLoad {
  client: LoadClient
  requests: readonly StoredRequest[]
  pace: Pace
  connections: number
  /** Counted from the intended time; a request that could not be sent by then fails unsent. */
  timeoutMs: Milliseconds
  signal: AbortSignal
  onProgress?: (tally: Tally, elapsedMs: Milliseconds) => void
}

export interface FixedRateResult {
  tally: Tally
  /** From the first intended time to the last answer; at least the pace's duration. */
  elapsedMs: Milliseconds
  /** How late the load generator itself was when a connection was free: the resolution limit of the latencies. */
  lateness: Latencies
  /** Requests that waited for a connection; the wait is included in their latency. */
  waited: number
}

const progressIntervalMs = 200

/**
 * Open loop: requests are due at their own times regardless of the answers, and each latency counts from the intended
 * time, so a stalled target is charged for every request it delays (no coordinated omission). There is no queue of
 * waiting requests, only the next intended time, so memory does not grow if the target is too slow.
 */
export async function loadAtFixedRate(load: FixedRateLoad): Promise<FixedRateResult> {
  const { client, requests, connections, timeoutMs, signal } = load
  const names = requests.map(nameOf)
  const tally = new Tally()
  const lateness = new Latencies()
  const intended = arrivals(load.pace)
  let startedAt = Number.NaN
  let due = 0
  let begun = 0
  let inFlight = 0
  let waited = 0
  let allSettled = () => {}

  const pump = (onTime: boolean) => {
    while (begun < due && inFlight < connections && !signal.aborted) {
      const dueAt = startedAt + (intended.next().value as number)
      const waitedMs = sharedNow() - dueAt
      if (onTime) lateness.record(waitedMs)
      else waited++
      void send(begun++ % requests.length, dueAt, timeoutMs - waitedMs)
    }
    if (inFlight === 0 && begun === due) allSettled()
  }
  const send = async (index: number, dueAt: number, leftMs: Milliseconds) => {
    if (leftMs <= 0) {
      tally.record(names[index]!, { kind: 'failed', reason: 'not sent in time', example: '' }, timeoutMs)
      return
    }
    inFlight++
    const outcome = await client.send(requests[index]!, leftMs)
    inFlight--
    // requests cut off by an interrupt say nothing about the target
    if (!signal.aborted) tally.record(names[index]!, outcome, sharedNow() - dueAt)
    pump(false)
  }

  const progress = setInterval(() => {
    if (due > 0) load.onProgress?.(tally, sharedNow() - startedAt)
  }, progressIntervalMs)
  try {
    await pace(
      load.pace,
      signal,
      (at) => {
        startedAt = at
      },
      (count) => {
        due = count
        pump(true)
      },
    )
    if (!signal.aborted && (inFlight > 0 || begun < due)) {
      await new Promise<void>((resolve) => {
        allSettled = resolve
        signal.addEventListener('abort', () => resolve())
      })
    }
  } finally {
    clearInterval(progress)
  }
  // interrupted before it began
  const elapsedMs = Number.isNaN(startedAt) ? 0 : sharedNow() - startedAt
  return { tally, elapsedMs: signal.aborted ? elapsedMs : Math.max(elapsedMs, load.pace.durationMs), lateness, waited }
}
