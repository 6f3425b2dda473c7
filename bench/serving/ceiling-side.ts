import { join } from 'node:path'
import type { ModelName } from '../models/models.ts'
import { scriptSide } from './script-side.ts'
import type { Clients } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

const ceilingFile = join(import.meta.dirname, 'ceiling.ts')
/** About what ten floats take, as digits and as bytes. */
const answerBytes = { json: 220, raw: 40, tensors: 40 }

/** One process that answers at once, whatever comes: no server of one process can be faster with these clients. */
export function ceilingSide(stage: ServingStage, name: string, model: ModelName, clients: Clients): ServingSide {
  const options = ['--answer-bytes', String(answerBytes[clients.wire])]
  if (clients.wire === 'json') options.push('--json')
  return scriptSide(stage, name, model, [ceilingFile, ...options], clients)
}
