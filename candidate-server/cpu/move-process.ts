import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { formatCpuList } from './cpu-list.ts'

const timeoutMs = 5_000

/** Puts all threads of a process on these CPUs. Rejects where taskset is not there or the kernel refuses. */
export async function moveProcess(pid: number, cpus: readonly number[]): Promise<void> {
  await promisify(execFile)('taskset', ['-a', '-c', '-p', formatCpuList(cpus), String(pid)], { timeout: timeoutMs })
}
