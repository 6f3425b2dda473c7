import cluster from 'node:cluster'
import type { Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Milliseconds } from '../vocabulary/units.ts'

const acceptMaxMs: Milliseconds = 1000
/** For the supervisor to hand over the next one. */
const handOverMs: Milliseconds = 20

/**
 * Before a server ceases to listen: accepts those that the system has connected while we were busy. They may have sent a
 * request already, and would be reset. A turn of the event loop accepts one; a worker gets each from its supervisor.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted++
  }
  server.on('connection', count)
  const until = performance.now() + acceptMaxMs
  // what is left of this turn accepts none
  await nextTurn()
  for (let before = -1; before < accepted && performance.now() < until; ) {
    before = accepted
    await (cluster.isWorker ? sleep(handOverMs) : nextTurn())
  }
  server.off('connection', count)
}
