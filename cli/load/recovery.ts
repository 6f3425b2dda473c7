import { setTimeout as sleep } from 'node:timers/promises'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { LoadClient } from './load-client.ts'
import { sharedNow } from './pacer.ts'
import type { StoredRequest } from './stored-requests.ts'

interface Recovery {
  client: LoadClient
  requests: readonly StoredRequest[]
  /** An answer within this time shows that the target has finished its backlog. */
  latencyMs: Milliseconds
  timeoutMs: Milliseconds
  atMostMs: Milliseconds
  signal: AbortSignal
}

const pauseMs = 50

/**
 * Many targets keep working on requests whose client has given up, so after too high a rate their backlog would slow
 * down the next step. Sends one request at a time until one is answered in time; returns false if none is.
 */
export async function hasRecovered(recovery: Recovery): Promise<boolean> {
  const { client, requests, latencyMs, timeoutMs, atMostMs, signal } = recovery
  const until = sharedNow() + atMostMs
  for (let i = 0; !signal.aborted && sharedNow() < until; i++) {
    const sentAt = sharedNow()
    const outcome = await client.send(requests[i % requests.length]!, timeoutMs)
    if (outcome.kind === 'answered' && sharedNow() - sentAt <= latencyMs) return true
    await sleep(pauseMs)
  }
  return false
}
