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

/**
 * The first of these that the machine allows: containers often forbid binding memory but not CPUs. `-a` lets numactl
 * use CPUs outside the front's own mask.
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
  } catch {
    return false
  }
}
