import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const logCharactersMax = 4_000

/**
 * The real candidate server with this `candidateServer:` section, on a port that the system assigns. Throws a
 * `CliFailure` with its last error message.
 */
export async function startServer(section: Record<string, unknown>, signal: AbortSignal): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-tune-'))
  const file = join(directory, 'config.yaml')
  // JSON is valid YAML
  writeFileSync(file, JSON.stringify({ candidateServer: { ...section, listen: '127.0.0.1:0' } }))
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
  try {
    // the file is gone when its name is read
    const url = await untilReady(child, () => log.replaceAll(file, 'the config of the server to measure'), signal)
    const { warnings } = (await (await fetch(new URL('/plan', url))).json()) as Pick<ServerProcess, 'warnings'>
    const pid = child.pid!
    return { url, pids: () => [pid, ...descendantsOf(pid)], warnings, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The address that the server reports once it is ready. */
function untilReady(child: ChildProcess, log: () => string, signal: AbortSignal): Promise<URL> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  const fail = (message: string) => reject(new CliFailure(message))
  const didNotStart = (why: string) => fail(`the candidate server did not start: ${why}`)
  const late = setTimeout(fail, startTimeoutMs, `the candidate server was not ready within ${startTimeoutMs / 1000} s`)
  const interrupt = () => reject(signal.reason)
  signal.addEventListener('abort', interrupt)
  if (signal.aborted) interrupt()
  child.once('message', ({ url }: { url: string }) => resolve(new URL(url)))
  child.once('error', ({ message }) => didNotStart(message))
  // `close`, not `exit`: it follows the last output
  child.once('close', (code, why) => {
    const words = lastWords(log())
    if (words) fail(words)
    else didNotStart(`it ended with ${why ?? `status ${code}`}`)
  })
  return promise.finally(() => {
    clearTimeout(late)
    signal.removeEventListener('abort', interrupt)
  })
}

/** The server's own error message, without the lines of its log. */
const lastWords = (log: string) =>
  log
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'))
    .map((line) => line.replace(/^understudy: /, ''))
    .join('\n')
