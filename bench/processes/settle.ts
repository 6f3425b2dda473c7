import { setTimeout as sleep } from 'node:timers/promises'
import type { Side } from '../sides/side.ts'
import { cpuSeconds } from './cpu-time.ts'

const settleMaxMs = 5000
const lookEveryMs = 100

/**
 * Waits until a proxy has finished the work that a round left behind (shadow requests, deliveries), so that it does not
 * overlap the next side's round. Returns whether it came to rest within `maxMs`.
 */
export async function settle({ pid, ledger }: Side, maxMs = settleMaxMs): Promise<boolean> {
  const deadlineAt = performance.now() + maxMs
  while (performance.now() < deadlineAt) {
    const before = pid === undefined ? undefined : cpuSeconds(pid)
    await sleep(lookEveryMs)
    const after = pid === undefined ? undefined : cpuSeconds(pid)
    if (before === after && ((await ledger?.())?.pending ?? 0) === 0) return true
  }
  return false
}
