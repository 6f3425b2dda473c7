import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { acceptWaiting } from '../runtime/accept-waiting.ts'
import type { Milliseconds } from '../vocabulary/units.ts'
import type { Fleet } from './fleet/fleet.ts'
import type { Front } from './http/front.ts'
import type { QuickListener } from './http/quick-listener.ts'

/**
 * Accepts no new connections, answers requests that arrive whole on open ones, and closes them by the end of the drain.
 */
export async function finishRequests(
  http: Server,
  quick: QuickListener,
  { underWay, clock }: Front,
  fleet: Fleet,
): Promise<void> {
  const endsAt = clock.monotonic() + fleet.current.config.limits.drainTimeout
  const leftMs = () => Math.max(0, endsAt - clock.monotonic())
  await acceptWaiting(http, leftMs())
  const closed = closeListeners(http, quick)
  await within(Math.min(arrivalMaxMs, leftMs()), closed)
  const areAnswered = await underWay.released(leftMs())
  const cutOff = () => {
    http.closeAllConnections()
    quick.closeAll()
  }
  // an incomplete request must not be answered by a version that is ending
  if (areAnswered) cutOff()
  await fleet.drain(leftMs())
  http.close() // already closed to connections: this ends Node's check for slow ones
  await within(closeGraceMs, closed)
  cutOff()
  await closed
}

/** For requests that have arrived in part while nothing else keeps the server running. */
const arrivalMaxMs = 1_000
/** For writing the answers that a version gave as it ended. */
const closeGraceMs = 1_000

/** Refuses new connections; existing ones close with their next answer. Resolves when the last one has closed. */
function closeListeners(http: Server, quick: QuickListener): Promise<void> {
  return new Promise((resolve) => {
    // http.close() would also cut off answers that are still being sent
    NetServer.prototype.close.call(http, () => resolve())
    quick.close()
  })
}

async function within(limitMs: Milliseconds, closed: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const limit = setTimeout(resolve, limitMs)
  await Promise.race([closed, late])
  clearTimeout(limit)
}
