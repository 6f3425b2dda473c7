import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pinnedCommand, yieldingCommand } from './pin.ts'

const endGraceMs = 5000

export interface StartOptions {
  name: string
  command: string
  args: readonly string[]
  cpus: string | undefined
  /** Whether it runs only while nothing else needs its CPUs. */
  yields?: boolean
  /** Whether it answers questions (`ask`). */
  channel?: boolean
  env?: Record<string, string>
}

/** All processes that a bench starts. Each writes its output to a file, so that a failure can show the last lines. */
export class Children {
  readonly #directory: string
  readonly #running = new Map<ChildProcess, StartOptions>()

  constructor(directory: string) {
    this.#directory = directory
  }

  start(options: StartOptions): ChildProcess {
    const { cpus, yields } = options
    const own = [options.command, options.args] as const
    const [command, args] = pinnedCommand(cpus, ...(yields ? yieldingCommand(...own) : own))
    const log = openSync(this.logOf(options.name), 'w')
    const env = { ...process.env, ...options.env }
    const child = spawn(command, args, { env, stdio: ['ignore', log, log, options.channel ? 'ipc' : 'ignore'] })
    closeSync(log)
    this.#running.set(child, options)
    child.once('error', () => {}) // callers that wait for the child notice that it is missing
    child.once('exit', () => this.#running.delete(child))
    return child
  }

  logOf(name: string): string {
    return join(this.#directory, `${name}.log`)
  }

  /** Throws with the end of the log if the child has ended. */
  assertRunning(child: ChildProcess, name: string): void {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) return
    const log = readFileSync(this.logOf(name), 'utf8').trimEnd().split('\n').slice(-10).join('\n')
    throw new Error(`${name} ended (${child.signalCode ?? child.exitCode ?? 'could not be started'}):\n${log}`)
  }

  /** Sends SIGTERM, then SIGKILL to those still running after the grace period. */
  async endAll(): Promise<void> {
    const children = [...this.#running.keys()]
    const exits = children.map((child) => once(child, 'exit').catch(() => {}))
    this.signalAll('SIGTERM')
    const grace = new AbortController()
    await Promise.race([Promise.all(exits), sleep(endGraceMs, undefined, { signal: grace.signal })])
    grace.abort()
    this.signalAll('SIGKILL')
    await Promise.all(exits)
  }

  signalAll(signal: NodeJS.Signals): void {
    for (const child of this.#running.keys()) child.kill(signal)
  }
}
