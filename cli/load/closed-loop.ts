import { setTimeout as sleep } from 'node:timers/promises'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { LoadClient } from './load-client.ts'
import { nameOf, type StoredRequest } from './stored-requests.ts'
import { Tally } from './tally.ts'

export interface ClosedLoop {
  /** Counts answers over at least `windowMs`, extended to at most five times that until there are `requestsMin`. */
  window(windowMs: Milliseconds, requestsMin: number): Promise<{ tally: Tally; elapsedMs: Milliseconds }>
  /** Resolves when no request is in progress. */
  stop(): Promise<void>
}

interface ClosedLoopOptions {
  client: LoadClient
  requests: readonly StoredRequest[]
  /** Number of requests in progress at all times. */
  concurrency: number
  timeoutMs: Milliseconds
  signal: AbortSignal
}

const failurePauseMs = 10
const lookIntervalMs = 20
const windowStretchMax = 5

/** Each sender sends its next request as soon as it has an answer: the maximum throughput for this many clients. */
export function startClosedLoop({ client, requests, concurrency, timeoutMs, signal }: ClosedLoopOptions): ClosedLoop {
  const names = requests.map(nameOf)
  let tally = new Tally()
  let isOver = false
  let sent = 0
  const sendRepeatedly = async () => {
    while (!isOver && !signal.aborted) {
      const index = sent++ % requests.length
      const startedAt = performance.now()
      const outcome = await client.send(requests[index]!, timeoutMs)
      if (signal.aborted) return
      tally.record(names[index]!, outcome, performance.now() - startedAt)
      // a target that refuses everything must not cause a busy loop
      if (outcome.kind === 'failed') await sleep(failurePauseMs)
    }
  }
  const senders = Array.from({ length: concurrency }, sendRepeatedly)
  return {
    async window(windowMs, requestsMin) {
      tally = new Tally()
      const startedAt = performance.now()
      const isFull = (elapsedMs: Milliseconds) =>
        (elapsedMs >= windowMs && tally.total.requests >= requestsMin) || elapsedMs >= windowMs * windowStretchMax
      await sleep(windowMs, undefined, { signal })
      while (!isFull(performance.now() - startedAt)) await sleep(lookIntervalMs, undefined, { signal })
      return { tally, elapsedMs: performance.now() - startedAt }
    },
    async stop() {
      isOver = true
      await Promise.all(senders)
    },
  }
}
