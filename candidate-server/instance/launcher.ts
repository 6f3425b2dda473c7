import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { formatCpuList } from '../cpu/cpu-list.ts'

interface Placement {
  cpus: number[]
  memoryNode: number | null
}

/** The command that starts the instance on its CPUs. */
export type Launcher =
  | { kind: 'numactl'; command: 'numactl'; args: string[]; memoryBound: boolean }
  | { kind: 'taskset'; command: 'taskset'; args: string[] }
  | { kind: 'unpinned' }

/** Long, because an instance that is not pinned stays so, and a very busy machine answers late. */
const probeTimeoutMs = 60_000

/** What a process could not be started for lack of. It may be there again soon, but an instance keeps its launcher. */
const shortages: Record<string, string> = {
  EMFILE: 'open files (ulimit -n)',
  ENFILE: "the machine's open files",
  EAGAIN: 'processes (ulimit -u, or the pids limit of the container)',
  ENOMEM: 'memory',
}

/**
 * The first of these that the machine allows: containers often forbid binding memory but not CPUs. `-a` lets numactl
 * use CPUs outside the front's own mask. Rejects if it cannot be tried.
 */
export async function findLauncher({ cpus, memoryNode }: Placement): Promise<Launcher> {
  const list = formatCpuList(cpus)
  const candidates: Exclude<Launcher, { kind: 'unpinned' }>[] = [
    { kind: 'numactl', command: 'numactl', args: ['-a', '-C', list], memoryBound: false },
    { kind: 'taskset', command: 'taskset', args: ['-c', list] },
  ]
  if (memoryNode !== null) {
    candidates.unshift({
      kind: 'numactl',
      command: 'numactl',
      args: ['-a', '-C', list, '-m', String(memoryNode)],
      memoryBound: true,
    })
  }
  for (const candidate of candidates) if (await works(candidate.command, candidate.args)) return candidate
  return { kind: 'unpinned' }
}

async function works(command: string, args: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(command, [...args, process.execPath, '--version'], { timeout: probeTimeoutMs })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const lacking = shortages[code ?? '']
    if (lacking) throw new Error(`${command} could not be started (${code}); raise the limit on ${lacking}`)
    return false
  }
}
