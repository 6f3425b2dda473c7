import { join } from 'node:path'
import { loopSide } from '../serving/loop-side.ts'
import { connectionsFor } from '../serving/plan.ts'
import { serverSide } from '../serving/server-side.ts'
import type { ServingSide } from '../serving/side.ts'
import type { ServingStage } from '../serving/stage.ts'
import type { PeerRung, Rung, ServerRung } from './rungs.ts'

const peerFile = join(import.meta.dirname, 'peer.py')

export const sideOf = (stage: ServingStage, rung: Rung): ServingSide =>
  rung.kind === 'peer' ? peerSide(stage, rung) : ourSide(stage, rung)

function peerSide(stage: ServingStage, { name, engine, model, processes, streams }: PeerRung): ServingSide {
  const { python, folder } = stage.models
  const { both, first, second } = stage.cores
  const args = ['-B', peerFile, engine, model, folder, '1', String(2 / processes)]
  if (streams !== undefined) args.push(String(streams))
  return loopSide(stage, name, { command: python, args }, processes === 1 ? [both] : [first, second])
}

function ourSide(stage: ServingStage, { name, model, cpu, batchRows, session }: ServerRung): ServingSide {
  return serverSide(
    stage,
    name,
    { model, cpu, batch: { sizeMax: batchRows, delayMax: '2ms' }, more: { session } },
    { connections: connectionsFor(batchRows, cpu.instances), cpus: stage.cores.both, wire: 'tensors' },
  )
}
