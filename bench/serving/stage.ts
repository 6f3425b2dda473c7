import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isaFlags } from '../../candidate-server/cpu/isa-flags.ts'
import type { BenchSurroundings } from '../bench.ts'
import { type MadeModels, makeModels } from '../models/make.ts'
import { ask } from '../processes/ask.ts'
import type { StartOptions } from '../processes/children.ts'
import { machineLine } from '../processes/machine.ts'
import type { ServingLoad } from './loader.ts'
import type { Throughput } from './side.ts'

/** The two physical cores on which these benches run, as lists for taskset. */
interface TwoCores {
  both: string
  /** The core that the planner gives to the first instance. */
  first: string
  second: string
}

/** What all sides share. */
export interface ServingStage extends BenchSurroundings {
  machine: string
  cores: TwoCores
  models: MadeModels
  /** `cpus`: where the clients run. */
  load(cpus: string, load: ServingLoad): Promise<Throughput>
  start(options: StartOptions): ChildProcess
  end(child: ChildProcess): Promise<void>
}

const loaderFile = join(import.meta.dirname, 'loader.ts')
export const cli = join(import.meta.dirname, '../../cli/understudy.ts')
const endGraceMs = 10_000

export function startStage(around: BenchSurroundings): ServingStage {
  const { children, progress } = around
  const machine = `${machineLine()} · instructions ${isaFlags().join(', ')}`
  progress(machine)
  const cores = twoCores()
  const models = makeModels(progress)
  const loaders = new Map<string, ChildProcess>()
  const start = (options: StartOptions) => children.start(options)
  return {
    ...around,
    machine,
    cores,
    models,
    load(cpus, load) {
      const running = loaders.get(cpus)
      const name = `clients-on-${cpus}`
      const loader = running ?? start({ name, command: process.execPath, args: [loaderFile], cpus, channel: true })
      loaders.set(cpus, loader)
      return ask(loader, load)
    },
    start,
    async end(child) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), endGraceMs)
      await exited
      clearTimeout(kill)
    },
  }
}

/** Chosen by our own planner, which distinguishes cores from hyperthreads. */
function twoCores(): TwoCores {
  const { stdout } = spawnSync(process.execPath, [cli, 'plan', '--instances', '1', '--threads', '1', '--json'])
  const { usableCores } = JSON.parse(String(stdout)) as { usableCores: number[] }
  const [first, second] = usableCores
  if (second === undefined) throw new Error(`expected two physical cores to measure on, got ${usableCores.length}`)
  return { both: `${first},${second}`, first: String(first), second: String(second) }
}
