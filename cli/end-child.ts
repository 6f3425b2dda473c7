import type { ChildProcess } from 'node:child_process'
import type { Milliseconds } from '../vocabulary/units.ts'

/** Sends SIGTERM, then SIGKILL if the child has not ended in time. */
export async function endChild(child: ChildProcess, timeoutMs: Milliseconds): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  await exited
  clearTimeout(timer)
}
