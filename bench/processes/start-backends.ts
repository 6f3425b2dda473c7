import { join } from 'node:path'
import type { BenchSurroundings } from '../bench.ts'
import type { Load } from '../load/loader.ts'
import { nginxVersion } from '../sides/nginx.ts'
import type { Upstreams } from '../sides/side.ts'
import { ask } from './ask.ts'
import type { BackendCounts, BackendPorts, BackendQuestion } from './backend.ts'
import { machineLine } from './machine.ts'
import { type Pinning, planPinning } from './pin.ts'

/** The services behind the proxies, and how to control them. */
export interface Backends {
  machine: string
  pinning: Pinning
  nginxVersion: string | undefined
  upstreams: Upstreams
  load<Result>(load: Load): Promise<Result>
  primaryCounts(): Promise<BackendCounts>
  /** Counts of candidate and comparator, which share a process. */
  shadowCounts(): Promise<BackendCounts>
  /** Closes every connection without a request in progress. */
  closeIdle(): Promise<void>
}

const backendFile = join(import.meta.dirname, 'backend.ts')
const loaderFile = join(import.meta.dirname, '../load/loader.ts')

/**
 * `acceptOnce`: the comparator remembers ids, as ours does, so that a ledger can be checked against it; this costs
 * memory and time. `shadowYields`: candidate and comparator take no CPU time from primary or load generator.
 */
export async function startBackends(
  { children, progress }: BenchSurroundings,
  { acceptOnce, shadowYields = false }: { acceptOnce: boolean; shadowYields?: boolean },
): Promise<Backends> {
  const pinning = planPinning()
  const version = nginxVersion()
  const machine = machineLine(version === undefined ? 'no nginx' : `nginx ${version}`)
  progress(machine)
  progress(pinning.sentence)

  const startOwn = (name: string, args: readonly string[], yields = false) =>
    children.start({ name, command: process.execPath, args, cpus: pinning.others, channel: true, yields })
  const primary = startOwn('primary', [backendFile])
  const shadowArgs = [backendFile, ...(acceptOnce ? ['--accept-once'] : [])]
  const shadow = startOwn('candidate-and-comparator', shadowArgs, shadowYields)
  const loader = startOwn('loader', [loaderFile])
  const askBackend = <Answer>(child: typeof primary, question: BackendQuestion) => ask<Answer>(child, question)
  const { model } = await askBackend<BackendPorts>(primary, 'ports')
  const { model: candidate, hung, comparator } = await askBackend<BackendPorts>(shadow, 'ports')
  return {
    machine,
    pinning,
    nginxVersion: version,
    upstreams: { primary: model, candidate, hung, comparator },
    load: (load) => ask(loader, load),
    primaryCounts: () => askBackend(primary, 'counts'),
    shadowCounts: () => askBackend(shadow, 'counts'),
    async closeIdle() {
      await Promise.all([askBackend(primary, 'closeIdle'), askBackend(shadow, 'closeIdle')])
    },
  }
}
