import { join } from 'node:path'
import { elementsOf, type ModelName, modelOf, pathOf } from '../models/models.ts'
import { ask } from '../processes/ask.ts'
import type { Clients } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

/**
 * One of the bench's own servers: a single process on both cores that sends its port when asked. `args` begin with its
 * file.
 */
function scriptSide(
  stage: ServingStage,
  name: string,
  model: ModelName,
  args: string[],
  clients: Clients,
): ServingSide {
  return {
    name,
    async start() {
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

const naiveFile = join(import.meta.dirname, 'naive-fastify.ts')

/** A fastify handler that calls `session.run`, on both cores; `threads` undefined leaves the runtime's defaults. */
export function naiveSide(
  stage: ServingStage,
  name: string,
  model: ModelName,
  threads: number | undefined,
  clients: Clients,
): ServingSide {
  const { inputs } = modelOf(model)
  const options = ['--model', pathOf(stage.models.folder, modelOf(model))]
  options.push('--elements', String(elementsOf(inputs[0]!, 1).length))
  if (threads !== undefined) options.push('--threads', String(threads))
  return scriptSide(stage, name, model, [naiveFile, ...options], clients)
}

const ceilingFile = join(import.meta.dirname, 'ceiling.ts')
/** Approximate size of ten floats, as text and as bytes. */
const answerBytes = { json: 220, raw: 40, tensors: 40 }

/** One process that answers every request at once: no single-process server can be faster with these clients. */
export function ceilingSide(stage: ServingStage, name: string, model: ModelName, clients: Clients): ServingSide {
  const options = ['--answer-bytes', String(answerBytes[clients.wire])]
  if (clients.wire === 'json') options.push('--json')
  return scriptSide(stage, name, model, [ceilingFile, ...options], clients)
}
