import { type ChildProcess, spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
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

/** Vitest numbers its processes from 1; those that run at once have different numbers. */
const firstPort = 10_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 8) * 2500
const given = new Set<number>()

/**
 * The first of `count` consecutive free ports. They lie below the kernel's range for outgoing connections, so no
 * connection of another test can take one meanwhile; and no other test process is given them, though nobody listens
 * there until a server has started.
 */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = firstPort + Math.floor(Math.random() * (2500 - count))
    const ports = Array.from({ length: count }, (_, i) => base + i)
    if (ports.some((port) => given.has(port))) continue
    const servers = await Promise.allSettled(ports.map(listen))
    for (const server of servers) {
      if (server.status === 'fulfilled') await new Promise((resolve) => server.value.close(resolve))
    }
    if (servers.some(({ status }) => status === 'rejected')) continue
    for (const port of ports) given.add(port)
    return base
  }
}

function listen(port: number): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
  })
}
