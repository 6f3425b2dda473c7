import { join } from 'node:path'
import { bareProgram, loopSide } from '../serving/loop-side.ts'
import { connectionsFor } from '../serving/plan.ts'
import { serverSide } from '../serving/server-side.ts'
import type { ServingSide } from '../serving/side.ts'
import type { ServingStage } from '../serving/stage.ts'
import type { PeerRung, Rung, ServerRung, SessionRung } from './rungs.ts'

const peerFile = join(import.meta.dirname, 'peer.py')

export function sideOf(stage: ServingStage, rung: Rung): ServingSide {
  switch (rung.kind) {
    case 'peer':
      return peerSide(stage, rung)
    case 'server':
      return ourSide(stage, rung)
    case 'session':
      return sessionSide(stage, rung)
  }
}

function peerSide(stage: ServingStage, { name, engine, model, processes, streams }: PeerRung): ServingSide {
  const { python, folder } = stage.models
  const args = ['-B', peerFile, engine, model, folder, '1', String(2 / processes)]
  if (streams !== undefined) args.push(String(streams))
  return loopSide(stage, name, { command: python, args }, cpusOf(stage, processes))
}

const sessionSide = (stage: ServingStage, { name, model, processes, batchRows }: SessionRung): ServingSide =>
  loopSide(stage, name, bareProgram(stage, model, batchRows, 2 / processes), cpusOf(stage, processes))

const cpusOf = ({ cores }: ServingStage, processes: 1 | 2) =>
  processes === 1 ? [cores.both] : [cores.first, cores.second]

function ourSide(stage: ServingStage, { name, model, cpu, batchRows, session }: ServerRung): ServingSide {
  return serverSide(
    stage,
    name,
    { model, cpu, batch: { sizeMax: batchRows, delayMax: '2ms' }, more: { session } },
    { connections: connectionsFor(batchRows, cpu.instances), cpus: stage.cores.both, wire: 'tensors' },
  )
}
