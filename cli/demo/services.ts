import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endChild } from '../end-child.ts'
import { CliFailure, exitCodes } from '../failure.ts'
import type { Places } from './places.ts'

const root = join(import.meta.dirname, '../..')
const startTimeoutMs = 120_000
const stopTimeoutMs = 20_000
const logTailLines = 15

interface Service {
  name: string
  command: string
  config: string
  ready: (places: Places) => string
}

/** In order of starting, and in reverse order of stopping: the mirror comes after everything it sends to. */
const services: Service[] = [
  { name: 'comparator', command: 'comparator', config: 'comparator', ready: (p) => `${p.comparatorUrl}/readyz` },
  { name: 'primary', command: 'candidate-server', config: 'primary', ready: (p) => local(p, 'PRIMARY_PORT') },
  { name: 'candidates', command: 'candidate-server', config: 'candidates', ready: (p) => local(p, 'CANDIDATES_PORT') },
  {
    name: 'bad-candidate',
    command: 'candidate-server',
    config: 'bad-candidate',
    ready: (p) => local(p, 'BAD_CANDIDATE_PORT'),
  },
  { name: 'mirror', command: 'mirror', config: 'mirror', ready: (p) => `${p.mirrorAdminUrl}/readyz` },
]
const local = ({ environment }: Places, port: string) => `http://127.0.0.1:${environment[port]}/readyz`

interface RunningServices {
  /** Resolves with the reason if a service ends unexpectedly. */
  broken: Promise<CliFailure>
  stop(): Promise<void>
}

/** Starts each service as a process with its own log file, and waits until all are ready. */
export async function startServices(places: Places, signal: AbortSignal): Promise<RunningServices> {
  await requireFreePorts(places.ports)
  const logs = join(places.dataDir, 'logs')
  mkdirSync(logs, { recursive: true })
  const children: { name: string; child: ChildProcess }[] = []
  let stopping = false
  let reportBroken: (failure: CliFailure) => void
  const broken = new Promise<CliFailure>((resolve) => {
    reportBroken = resolve
  })
  const stop = async () => {
    stopping = true
    // in reverse order, so that the mirror can deliver what it holds while the comparator still listens
    for (const { child } of children.reverse()) await endChild(child, stopTimeoutMs)
  }
  const starting = new AbortController()
  try {
    for (const service of services) {
      const log = join(logs, `${service.name}.log`)
      const logFrom = existsSync(log) ? statSync(log).size : 0
      const child = start(service, places, log)
      children.push({ name: service.name, child })
      child.once('exit', (code, why) => {
        if (stopping) return
        reportBroken(failed(`${service.name} ended (${why ?? code}); ${log} says:\n${tail(log, logFrom)}`))
      })
      child.once('error', (error) => reportBroken(failed(`${service.name} could not start: ${error.message}`)))
    }
    const until = AbortSignal.any([signal, starting.signal])
    for (const { name, ready } of services) {
      await Promise.race([untilReady(ready(places), name, until), rejected(broken)])
    }
  } catch (error) {
    starting.abort()
    await stop()
    throw error
  }
  return { broken, stop }
}

function start({ command, config }: Service, places: Places, log: string): ChildProcess {
  const output = openSync(log, 'a')
  const child = spawn(
    process.execPath,
    [join(root, 'cli/understudy.ts'), command, '--config', join(root, `deploy/demo/config/${config}.yaml`)],
    {
      cwd: root,
      env: { ...process.env, ...places.environment },
      // the channel breaks if this process ends in any way, and the service then stops by itself
      stdio: ['ignore', output, output, 'ipc'],
      // a process group of its own: Ctrl-C reaches only this process, which ends the services in order
      detached: true,
    },
  )
  closeSync(output)
  return child
}

async function untilReady(url: string, name: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  while (Date.now() < deadline) {
    signal.throwIfAborted()
    const ready = await fetch(url, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(150, undefined, { signal })
  }
  throw failed(`${name} was not ready within ${startTimeoutMs / 1000} s`)
}

/** Not the user's mistake, as most failures are. */
const failed = (message: string) => new CliFailure(message, exitCodes.fail)

async function rejected(broken: Promise<CliFailure>): Promise<never> {
  throw await broken
}

async function requireFreePorts(ports: number[]): Promise<void> {
  for (const port of ports) {
    await new Promise<void>((resolve, reject) => {
      const server = createServer()
      server.once('error', () => reject(new CliFailure(`port ${port} is taken; choose others with --port-base N`)))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
    })
  }
}

function tail(file: string, from: number): string {
  return readFileSync(file).subarray(from).toString().trimEnd().split('\n').slice(-logTailLines).join('\n')
}
