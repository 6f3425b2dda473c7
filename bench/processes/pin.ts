import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The CPUs for the proxy and for everything else, as lists for `taskset -c`; undefined: not pinned. */
export interface Pinning {
  proxy: string | undefined
  others: string | undefined
  /** For the page: what was pinned, or why nothing was. */
  sentence: string
}

/** One CPU for the proxy under test; load generator and backends share the others, except the proxy's hyperthreads. */
export function planPinning(): Pinning {
  const unpinned = (why: string): Pinning => ({
    proxy: undefined,
    others: undefined,
    sentence: `Nothing was pinned (${why}): proxy, load generator and backends compete for the same CPUs.`,
  })
  if (spawnSync('taskset', ['--version']).status !== 0) return unpinned('no `taskset` here')
  const [proxy, ...rest] = allowedCpus(process.pid)
  if (proxy === undefined || rest.length === 0) return unpinned('one CPU only')
  const siblings = siblingsOf(proxy)
  const apart = rest.filter((cpu) => !siblings.includes(cpu))
  const others = apart.length > 0 ? apart : rest
  const shared = apart.length > 0 ? '' : ' They are hyperthreads of one core, so neither has a whole one.'
  return {
    proxy: String(proxy),
    others: others.join(','),
    sentence: `Pinned with taskset: the proxy to CPU ${proxy}; load generator, primary, candidate and comparator to CPU ${others.join(', ')}.${shared}`,
  }
}

/** A command line that runs `command` on these CPUs. taskset execs it, so the child's pid is the command's. */
export function pinnedCommand(cpus: string | undefined, command: string, args: readonly string[]): [string, string[]] {
  return cpus === undefined ? [command, [...args]] : ['taskset', ['-c', cpus, command, ...args]]
}

/**
 * A command line that runs only while nothing else needs the CPUs (SCHED_IDLE): for parts that would be on a separate
 * machine. Unchanged if there is no `chrt`.
 */
export function yieldingCommand(command: string, args: readonly string[]): [string, string[]] {
  return hasChrt() ? ['chrt', ['--idle', '0', command, ...args]] : [command, [...args]]
}

export const hasChrt = () => spawnSync('chrt', ['--version']).status === 0

/** Moves all threads of this process to these CPUs; its existing children stay where they are. */
export function pinSelf(cpus: string | undefined): void {
  if (cpus !== undefined) spawnSync('taskset', ['-a', '-p', '-c', cpus, String(process.pid)])
}

export function allowedCpus(pid: number): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return list === undefined ? [] : expandList(list)
  } catch {
    return []
  }
}

function siblingsOf(cpu: number): number[] {
  try {
    const file = `/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`
    return expandList(readFileSync(file, 'utf8').trim())
  } catch {
    return [cpu]
  }
}

/** `0,2-4` → [0, 2, 3, 4]. */
function expandList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i)
  })
}
