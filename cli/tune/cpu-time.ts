import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuCgroups } from '../../candidate-server/cpu/cgroup.ts'
import { readSysFile } from '../../candidate-server/cpu/sys-file.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'

/** CPU time as the kernel reports it; each function returns `undefined` if it does not. */

/** The unit of times in /proc: 1/100 s on every Linux, whatever the kernel's own timer frequency. */
const tickMs: Milliseconds = 10

/**
 * CPU time used so far by these processes, including their threads and their children that have ended. A process that
 * is gone counts as zero.
 */
export function cpuTimeMs(pids: readonly number[]): Milliseconds | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  return pids.reduce((sum, pid) => sum + tickMs * ticksOf(pid), 0)
}

function ticksOf(pid: number): number {
  const stat = readSysFile(`/proc/${pid}/stat`) ?? ''
  // the name in parentheses may contain anything; utime, stime, cutime and cstime are the 12th to 15th fields after it
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
}

/** The share of the time, 0 to 1, that these CPUs were busy with any process. */
export async function busyShare(cpus: readonly number[], durationMs: Milliseconds): Promise<number | undefined> {
  const before = cpuTicks(cpus)
  await sleep(durationMs)
  const after = cpuTicks(cpus)
  if (!before || !after || after.all === before.all) return undefined
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

/** How long these CPUs have been busy so far with any process. */
export function busyMs(cpus: readonly number[]): Milliseconds | undefined {
  const ticks = cpuTicks(cpus)
  return ticks && tickMs * (ticks.all - ticks.idle)
}

function cpuTicks(cpus: readonly number[]): { idle: number; all: number } | undefined {
  const lines = (readSysFile('/proc/stat') ?? '').split('\n')
  const fields = lines
    .map((line) => /^cpu(\d+) (.*)$/.exec(line))
    .filter((match) => match !== null && cpus.includes(Number(match[1])))
    .map((match) => match![2]!.split(' ').map(Number))
  if (fields.length === 0) return undefined
  // user nice system idle iowait irq softirq steal; user includes guests
  const sum = (of: (values: number[]) => number) => fields.reduce((total, values) => total + of(values), 0)
  return {
    idle: sum(([, , , idle = 0, iowait = 0]) => idle + iowait),
    all: sum((v) => v.slice(0, 8).reduce((a, b) => a + b, 0)),
  }
}

/** How many periods so far a CPU quota of this process's cgroup, or of one above, has throttled it. `root` is `/`. */
export function throttledPeriods(root = '/'): number | undefined {
  const files = cpuCgroups(root)
    .map((directory) => join(directory, 'cpu.stat'))
    .filter((file) => existsSync(file))
  // `cpu` is usually a link to `cpu,cpuacct`
  const counts = [...new Set(files.map((file) => realpathSync(file)))]
    .map((file) => /^nr_throttled (\d+)$/m.exec(readSysFile(file) ?? '')?.[1])
    .filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + Number(count), 0)
}
