import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { formatCpuList, parseCpuList } from './cpu-list.ts'
import { numberedEntries, readSysFile } from './sys-file.ts'

/** Where the kernel says a process runs. `unknown` if there is no /proc or the process is gone. */
export type Affinity = { kind: 'verified' } | { kind: 'differs'; cpus: string } | { kind: 'unknown' }

/**
 * Checks every thread: one that leaves its cores disturbs another instance. `cpus` are those of the first thread that
 * differs.
 */
export function verifyAffinity(pid: number, expected: readonly number[]): Affinity {
  const planned = formatCpuList(expected)
  const masks = threadMasks(pid)
  const other = masks.find((cpus) => cpus !== planned)
  if (other !== undefined) return { kind: 'differs', cpus: other }
  return { kind: masks.length > 0 ? 'verified' : 'unknown' }
}

const moveLimitMs = 5_000

/** Moves all threads of a process to these CPUs. Rejects if taskset is missing or the kernel refuses. */
export async function moveProcess(pid: number, cpus: readonly number[]): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', formatCpuList(cpus), String(pid)], { timeout: moveLimitMs })
}

/** Where a process was found, and where it is after being moved back; `moved` says whether it had to be. */
export interface KeptAffinity {
  found: Affinity
  now: Affinity
  moved: boolean
  problem?: string
}

/**
 * Moves a process that has left its CPUs back. On cgroup v1, and on v2 before Linux 6.2, every write to a cpuset resets
 * all threads in it, pinned ones included, to all of its CPUs.
 */
export async function keepAffinity(pid: number, cpus: readonly number[]): Promise<KeptAffinity> {
  const found = verifyAffinity(pid, cpus)
  if (found.kind !== 'differs') return { found, now: found, moved: false }
  let problem: string | undefined
  try {
    await moveProcess(pid, cpus)
    // threads created meanwhile inherit the mask of the thread that created them
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
    .filter((list) => list !== undefined) // threads that ended after the directory was read
    .map((list) => formatCpuList(parseCpuList(list)))
}
