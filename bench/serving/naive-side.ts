import { join } from 'node:path'
import { elementsOf, type ModelName, modelOf, pathOf } from '../models/models.ts'
import { ask } from '../processes/ask.ts'
import type { Clients } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

const naiveFile = join(import.meta.dirname, 'naive-fastify.ts')

/** A fastify handler that calls `session.run`, on both cores; `threads` undefined leaves the runtime its defaults. */
export function naiveSide(
  stage: ServingStage,
  name: string,
  model: ModelName,
  threads: number | undefined,
  clients: Clients,
): ServingSide {
  return {
    name,
    async start() {
      const { inputs } = modelOf(model)
      const options = ['--model', pathOf(stage.models.folder, modelOf(model))]
      options.push('--elements', String(elementsOf(inputs[0]!, 1).length))
      if (threads !== undefined) options.push('--threads', String(threads))
      const args = [naiveFile, ...options]
      const child = stage.start({ name, command: process.execPath, args, cpus: stage.cores.both, channel: true })
      const port = await ask<number>(child, 'port')
      return {
        pids: [child.pid!],
        measure: (durationMs) =>
          stage.load(clients.cpus, { port, model, durationMs, wire: clients.wire, connections: clients.connections }),
        stop: () => stage.end(child),
      }
    },
  }
}
