import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { path } from '../load/payload.ts'
import { ask } from '../processes/ask.ts'
import type { BackendPorts, BackendQuestion } from '../processes/backend.ts'
import type { Children } from '../processes/children.ts'
import { freePort } from '../processes/free-port.ts'
import type { Backends } from '../processes/start-backends.ts'
import type { Fault, FaultyCandidate } from './faults.ts'

const faultyFolder = join(import.meta.dirname, '../../test/faults')
const backendFile = join(import.meta.dirname, '../processes/backend.ts')

/** The processes that a fault needs around the mirror. */
interface Around {
  candidateUrl: string
  comparatorPort: number
  /** Starts what needs the mirrors to be up. */
  begin(ports: readonly number[]): Promise<void>
  processes: readonly ChildProcess[]
}

export async function startAround(fault: Fault, backends: Backends, children: Children): Promise<Around> {
  const processes: ChildProcess[] = []
  const start = (name: string, file: string, ...args: string[]) => {
    const cpus = backends.pinning.others
    const command = process.execPath
    const child = children.start({ name, command, args: [file, ...args], cpus, channel: true, yields: true })
    processes.push(child)
    return child
  }
  const portOf = async (candidate: FaultyCandidate | undefined): Promise<number> => {
    if (candidate === undefined) return backends.upstreams.candidate
    if (candidate === 'dead') return freePort()
    return ask<number>(start('candidate', join(faultyFolder, 'candidate-process.ts'), candidate), 'port')
  }
  const candidateUrl =
    fault.candidate === 'noAddress'
      ? 'http://candidate.invalid:80'
      : `http://127.0.0.1:${await portOf(fault.candidate)}`
  const comparator = fault.isComparatorDead ? start('comparator', backendFile) : undefined
  const comparatorPort = comparator
    ? (await ask<BackendPorts>(comparator, 'ports' satisfies BackendQuestion)).comparator
    : backends.upstreams.comparator
  return {
    candidateUrl,
    comparatorPort,
    processes,
    async begin(ports) {
      comparator?.kill('SIGKILL')
      if (!fault.doClientsVanish) return
      const clients = start('vanishing-clients', join(faultyFolder, 'vanishing-clients-process.ts'))
      for (const port of ports) await ask(clients, { port, path })
    },
  }
}
