import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendantsOf } from '../../candidate-server/cpu/child-processes.ts'
import { endChild } from '../end-child.ts'
import { CliFailure } from '../failure.ts'

export interface ServerProcess {
  url: URL
  /** The front and everything it has started: instances, module processes and their successors. */
  pids: () => number[]
  /** Warnings about its plan. */
  warnings: { code: string; message: string }[]
  stop: () => Promise<void>
}

const understudy = join(import.meta.dirname, '../understudy.ts')
const startTimeoutMs = 120_000
const stopTimeoutMs = 15_000
const lookIntervalMs = 50
const logCharactersMax = 4_000

/**
 * The real candidate server with this `candidateServer:` section on a free port. Throws a `CliFailure` with its last
 * error message.
 */
export async function startServer(section: Record<string, unknown>, signal: AbortSignal): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-tune-'))
  const file = join(directory, 'config.yaml')
  const port = await freePort()
  // JSON is valid YAML
  writeFileSync(file, JSON.stringify({ candidateServer: { ...section, listen: `127.0.0.1:${port}` } }))
  const child = spawn(process.execPath, [understudy, 'candidate-server', '--config', file], {
    env: { ...process.env, LOG_LEVEL: 'warn' },
    // the channel breaks if this process ends in any way, and the server then stops by itself
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // a process group of its own: Ctrl-C reaches only this process, which ends the server
    detached: true,
  })
  let log = ''
  child.stderr!.on('data', (chunk) => {
    log = (log + chunk).slice(-logCharactersMax)
  })
  const stop = async () => {
    await endChild(child, stopTimeoutMs)
    rmSync(directory, { recursive: true, force: true })
  }
  const url = new URL(`http://127.0.0.1:${port}`)
  try {
    // the file is gone when its name is read
    await untilReady(child, url, () => log.replaceAll(file, 'the config of the server to measure'), signal)
    const { warnings } = (await (await fetch(new URL('/plan', url))).json()) as Pick<ServerProcess, 'warnings'>
    const pid = child.pid!
    return { url, pids: () => [pid, ...descendantsOf(pid)], warnings, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilReady(child: ChildProcess, url: URL, log: () => string, signal: AbortSignal): Promise<void> {
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  // `close`, not `exit`: it follows the last output
  child.once('close', (code, why) => {
    ended = `it ended with ${why ?? `status ${code}`}`
  })
  const deadline = performance.now() + startTimeoutMs
  while (performance.now() < deadline) {
    signal.throwIfAborted()
    if (ended !== undefined) {
      throw new CliFailure(lastWords(log()) || `the candidate server did not start: ${ended}`)
    }
    const ready = await fetch(new URL('/readyz', url)).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(lookIntervalMs)
  }
  throw new CliFailure(`the candidate server was not ready within ${startTimeoutMs / 1000} s`)
}

/** The server's own error message, without the lines of its log. */
const lastWords = (log: string) =>
  log
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'))
    .map((line) => line.replace(/^understudy: /, ''))
    .join('\n')

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
