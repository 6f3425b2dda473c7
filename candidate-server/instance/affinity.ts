import { formatCpuList, parseCpuList } from '../cpu/cpu-list.ts'
import { moveProcess } from '../cpu/move-process.ts'
import { numberedEntries, readSysFile } from '../cpu/sys-file.ts'

/** What the kernel says about where a process runs. `unknown` where there is no /proc or the process is gone. */
export type Affinity = { kind: 'verified' } | { kind: 'differs'; cpus: string } | { kind: 'unknown' }

/** Every thread counts: one that escapes its cores disturbs another instance. `cpus` are those of the first that differs. */
export function verifyAffinity(pid: number, expected: readonly number[]): Affinity {
  const planned = formatCpuList(expected)
  const masks = threadMasks(pid)
  const other = masks.find((cpus) => cpus !== planned)
  if (other !== undefined) return { kind: 'differs', cpus: other }
  return { kind: masks.length > 0 ? 'verified' : 'unknown' }
}

/** Where a process was found, and where it is after it was moved back; `moved`: whether it had to be. */
export interface KeptAffinity {
  found: Affinity
  now: Affinity
  moved: boolean
  problem?: string
}

/**
 * Moves a process back that has left its CPUs. On cgroup v1, and on v2 before Linux 6.2, each write to a cpuset gives
 * all CPUs of it to every thread in it, also to those that were pinned.
 */
export async function keepAffinity(pid: number, cpus: readonly number[]): Promise<KeptAffinity> {
  const found = verifyAffinity(pid, cpus)
  if (found.kind !== 'differs') return { found, now: found, moved: false }
  let problem: string | undefined
  try {
    await moveProcess(pid, cpus)
    // threads that were made meanwhile have the mask of the one that made them
    if (verifyAffinity(pid, cpus).kind === 'differs') await moveProcess(pid, cpus)
  } catch (error) {
    problem = (error as Error).message
  }
  return { found, now: verifyAffinity(pid, cpus), moved: true, ...(problem !== undefined && { problem }) }
}

function threadMasks(pid: number): string[] {
  return numberedEntries(`/proc/${pid}/task`, '')
    .map((thread) => readSysFile(`/proc/${pid}/task/${thread}/status`))
    .map((status) => /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? '')?.[1])
    .filter((list) => list !== undefined) // one that has ended since the directory was read
    .map((list) => formatCpuList(parseCpuList(list)))
}
