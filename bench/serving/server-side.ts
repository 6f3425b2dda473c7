import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type ModelName, modelOf, pathOf } from '../models/models.ts'
import { freePort, untilListening } from '../processes/free-port.ts'
import type { Wire } from './requests.ts'
import { sessionWork } from './session-work.ts'
import type { ServingSide } from './side.ts'
import { cli, type ServingStage } from './stage.ts'

/** The settings that a table's row varies; the rest of the config keeps its defaults. */
export interface ServerSettings {
  model: ModelName
  /** The config's `cpu:`. */
  cpu: { instances: number; threads: number; allocator: 'none' | 'jemalloc' | 'tcmalloc' } & Record<string, unknown>
  /** The model's `batch:`. */
  batch: { sizeMax: number; delayMax: string }
  /** Further settings of the model. */
  more?: Record<string, unknown>
}

export interface Clients {
  connections: number
  /** CPUs of the clients. */
  cpus: string
  wire: Wire
}

const upMs = 60_000

/** Our server as a user starts it, on both cores; `/v2/models/MODEL/stats` reports what its instances did. */
export function serverSide(stage: ServingStage, name: string, settings: ServerSettings, clients: Clients): ServingSide {
  const { model } = settings
  return {
    name,
    async start() {
      const port = await freePort()
      const file = join(stage.directory, `${name}.yaml`)
      writeFileSync(file, stringify({ candidateServer: configOf(stage, port, settings) }))
      const args = [cli, 'candidate-server', '--config', file]
      const child = stage.start({ name, command: process.execPath, args, cpus: stage.cores.both })
      try {
        await untilListening(port, upMs, () => stage.children.assertRunning(child, name))
      } catch (error) {
        await stage.end(child)
        throw error
      }
      return {
        pids: [child.pid!],
        async measure(durationMs) {
          const { connections, cpus, wire } = clients
          const work = await sessionWork(port, model)
          const measured = await stage.load(cpus, { port, model, wire, connections, durationMs })
          return { ...measured, ...(await work(settings.cpu.instances)) }
        },
        stop: () => stage.end(child),
      }
    },
  }
}

function configOf({ models }: ServingStage, port: number, { model, cpu, batch, more }: ServerSettings) {
  return {
    listen: `127.0.0.1:${port}`,
    cpu,
    queue: { timeout: '60s' },
    models: [{ name: model, path: pathOf(models.folder, modelOf(model)), batch, ...more }],
  }
}
