import { ceilingSide, naiveSide } from './own-servers.ts'
import { type TinyModel, tiny, tinyModels } from './plan.ts'
import type { Wire } from './requests.ts'
import { serverSide } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

export const forms = ['json', 'binary'] as const
export type Form = (typeof forms)[number]

/** Each form's wire for the naive handler and for our server. */
const wires: Record<Form, { naive: Wire; server: Wire }> = {
  json: { naive: 'json', server: 'json' },
  binary: { naive: 'raw', server: 'tensors' },
}

/** `onFirst`: with the clients on the first core alone, which the server's instance uses and its front does not. */
export const tinyNames = ({ model }: TinyModel, form: Form) => ({
  naive: `${model}-${form}-naive`,
  naiveOnFirst: `${model}-${form}-naive-on-first`,
  oneThread: `${model}-${form}-naive-1-thread`,
  server: `${model}-${form}-server`,
  serverOnFirst: `${model}-${form}-server-on-first`,
  ceiling: `${model}-${form}-ceiling`,
})

export const tinySides = (stage: ServingStage): ServingSide[] =>
  tinyModels.flatMap((tinyModel) => forms.flatMap((form) => sidesOf(stage, tinyModel, form)))

function sidesOf(stage: ServingStage, tinyModel: TinyModel, form: Form): ServingSide[] {
  const { model } = tinyModel
  const names = tinyNames(tinyModel, form)
  const { both, first } = stage.cores
  const clients = (wire: Wire, cpus = both) => ({ connections: tiny.connections, cpus, wire })
  const settings = {
    model,
    cpu: { instances: 1, threads: 1, allocator: 'none' },
    batch: { sizeMax: tiny.batch, delayMax: '0ms' },
  } as const
  return [
    naiveSide(stage, names.naive, model, undefined, clients(wires[form].naive)),
    naiveSide(stage, names.naiveOnFirst, model, undefined, clients(wires[form].naive, first)),
    naiveSide(stage, names.oneThread, model, 1, clients(wires[form].naive)),
    serverSide(stage, names.server, settings, clients(wires[form].server)),
    serverSide(stage, names.serverOnFirst, settings, clients(wires[form].server, first)),
    ceilingSide(stage, names.ceiling, model, clients(wires[form].naive)),
  ]
}
