import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { formatCpuList } from './cpu-list.ts'

const timeoutMs = 5_000

/** Moves all threads of a process to these CPUs. Rejects if taskset is missing or the kernel refuses. */
export async function moveProcess(pid: number, cpus: readonly number[]): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', formatCpuList(cpus), String(pid)], { timeout: timeoutMs })
}
