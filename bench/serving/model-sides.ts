import { bareProgram, loopSide } from './loop-side.ts'
import { type ComparedModel, connectionsFor } from './plan.ts'
import { serverSide } from './server-side.ts'
import type { ServingSide } from './side.ts'
import type { ServingStage } from './stage.ts'

/** Names of one model's sides: on the first core alone, and on both. */
export const sideNames = ({ model, batch }: ComparedModel) => ({
  oneCore: { bare: [`${model}-bare-1`, `${model}-bare-${batch}`], server: `${model}-server` },
  bothCores: { bare: [`${model}-bare-1-twice`, `${model}-bare-${batch}-twice`], server: `${model}-server-twice` },
})

export function modelSides(stage: ServingStage, compared: ComparedModel): ServingSide[] {
  const { model, batch } = compared
  const { first, second, both } = stage.cores
  const { oneCore, bothCores } = sideNames(compared)
  const bare = ([single, batched]: string[], cpus: string[]) => [
    loopSide(stage, single!, bareProgram(stage, model, 1, 1), cpus),
    loopSide(stage, batched!, bareProgram(stage, model, batch, 1), cpus),
  ]
  const server = (name: string, instances: number, cpus: string) =>
    serverSide(
      stage,
      name,
      { model, cpu: { instances, threads: 1, allocator: 'none' }, batch: { sizeMax: batch, delayMax: '2ms' } },
      { connections: connectionsFor(batch, instances), cpus, wire: 'tensors' },
    )
  return [
    ...bare(oneCore.bare, [first]),
    server(oneCore.server, 1, second),
    ...bare(bothCores.bare, [first, second]),
    server(bothCores.server, 2, both),
  ]
}
