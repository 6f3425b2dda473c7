import type { Milliseconds } from '../../vocabulary/units.ts'

/** What this takes of its thread's CPU: what else the machine does meanwhile counts for nothing. */
export function cpuMsOf(act: () => void): Milliseconds {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
