import type { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Milliseconds } from '../vocabulary/units.ts'

const acceptMaxMs: Milliseconds = 1000

/**
 * Call before a server stops listening: accepts the connections that the system has made while we were busy, for a
 * second or `limitMs`, whichever is less. They may already carry a request, and would otherwise be reset. Each turn of
 * the event loop accepts one.
 */
export async function acceptWaiting(server: Server, limitMs = acceptMaxMs): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const until = performance.now() + Math.min(acceptMaxMs, limitMs)
  // the rest of this turn accepts none
  await nextTurn()
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted
    await nextTurn()
  }
  server.off('connection', count)
}
