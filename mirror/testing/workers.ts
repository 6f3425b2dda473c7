import { waitFor } from '../../runtime/testing/wait-for.ts'
import type { MirrorProcess } from './mirror-process.ts'

export const workerDied = 'a worker died; what it had in flight is lost'

/** In the order in which they came up. */
export const pidsOf = ({ logged }: MirrorProcess) => logged('worker is up').map(({ pid }) => pid as number)

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export async function untilReplaced(running: MirrorProcess, times: number): Promise<void> {
  await waitFor(`${times} replaced workers`, () => running.logged('a worker was replaced').length === times)
}
