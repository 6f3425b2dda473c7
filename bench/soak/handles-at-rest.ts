import { setTimeout as sleep } from 'node:timers/promises'
import type { Backends } from '../processes/start-backends.ts'
import { handleCount } from './sample.ts'

const lookEveryMs = 500
/** Longer than any of the mirror's timers: it reports coverage every two seconds, and idle connections last four. */
const steadyForMs = 5000
const deadlineMs = 30_000

/**
 * Counts the handles of an idle mirror. The number of connections that it keeps to its upstreams reflects its past
 * peak, so those are closed from the other end first.
 */
export async function handlesAtRest(pid: number, backends: Backends): Promise<number> {
  const deadlineAt = performance.now() + deadlineMs
  let count = handleCount(pid)
  let steadySince = performance.now()
  while (performance.now() - steadySince < steadyForMs && performance.now() < deadlineAt) {
    await backends.closeIdle()
    await sleep(lookEveryMs)
    const now = handleCount(pid)
    if (now !== count) steadySince = performance.now()
    count = now
  }
  return count
}
