import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSysFile } from '../../candidate-server/cpu/sys-file.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { CliFailure } from '../failure.ts'

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
  const directories = (readSysFile(join(root, 'proc/self/cgroup')) ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (path === undefined || !(controllers === '' || controllers!.split(',').includes('cpu'))) return []
    const mounts = controllers === '' ? ['', 'unified'] : [controllers!, 'cpu']
    return mounts.flatMap((mount) => ancestors(join(root, 'sys/fs/cgroup', mount), path))
  })
  const files = directories.map((directory) => join(directory, 'cpu.stat')).filter((file) => existsSync(file))
  // `cpu` is usually a link to `cpu,cpuacct`
  const counts = [...new Set(files.map((file) => realpathSync(file)))]
    .map((file) => /^nr_throttled (\d+)$/m.exec(readSysFile(file) ?? '')?.[1])
    .filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + Number(count), 0)
}

/** A container sees part of the hierarchy as the whole, so some of these folders do not exist there. */
function ancestors(mount: string, path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '' && step !== '..')
  return Array.from({ length: steps.length + 1 }, (_, length) => join(mount, ...steps.slice(0, length)))
}

const busyLookMs = 1_000
const busyWarning = 0.1
const busyRefusal = 0.4

/** Measurements on a busy machine mean nothing. Throws a `CliFailure` if other processes use too much CPU. */
export async function requireQuiet(
  busy: (durationMs: number) => Promise<number | undefined>,
  evenIfBusy: boolean,
): Promise<string | undefined> {
  let share = await busy(busyLookMs)
  // a brief disturbance is no reason to refuse, so it looks twice
  if (share !== undefined && share > busyWarning && !evenIfBusy)
    share = Math.min(share, (await busy(busyLookMs)) ?? share)
  if (share === undefined || share <= busyWarning) return undefined
  const text = `the CPUs are already ${Math.round(share * 100)} % busy with something else`
  if (share > busyRefusal && !evenIfBusy) {
    throw new CliFailure(`${text}: end it, or measure anyway with --even-if-busy`)
  }
  return `${text}: the figures will be lower and noisier than on a quiet machine`
}
