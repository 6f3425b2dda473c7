import type { Server } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Milliseconds } from '../vocabulary/units.ts'

const acceptMaxMs: Milliseconds = 1000

/**
 * Before a server ceases to listen: accepts those that the system has connected while we were busy, for a second or
 * `limitMs` at most. They may have sent a request already, and would be reset. A turn of the event loop accepts one.
 */
export async function acceptWaiting(server: Server, limitMs = acceptMaxMs): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const until = performance.now() + Math.min(acceptMaxMs, limitMs)
  // what is left of this turn accepts none
  await nextTurn()
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted
    await nextTurn()
  }
  server.off('connection', count)
}
