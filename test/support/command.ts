import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export const understudy = join(import.meta.dirname, '../../cli/understudy.ts')

/** Starts `understudy …` as a separate process. */
export function startCommand(args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, [understudy, ...args], {
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs `understudy …` to its end. */
export async function runCommand(args: string[], env: Record<string, string> = {}) {
  const child = startCommand(args, env)
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (chunk) => (stdout += chunk))
  child.stderr!.on('data', (chunk) => (stderr += chunk))
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, stdout, stderr }
}

export async function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
}
