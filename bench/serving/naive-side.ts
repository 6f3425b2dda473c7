import { join } from 'node:path'
import { elementsOf, type ModelName, modelOf, pathOf } from '../models/models.ts'
import { scriptSide } from './script-side.ts'
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
  const { inputs } = modelOf(model)
  const options = ['--model', pathOf(stage.models.folder, modelOf(model))]
  options.push('--elements', String(elementsOf(inputs[0]!, 1).length))
  if (threads !== undefined) options.push('--threads', String(threads))
  return scriptSide(stage, name, model, [naiveFile, ...options], clients)
}
