import type { Milliseconds } from '../../vocabulary/units.ts'

/** CPU time of this thread, which does not depend on what else the machine does. */
export function cpuMsOf(act: () => void): Milliseconds {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
