import type { Logger } from '../../runtime/logger.ts'
import type { ModelConfig } from '../config/model.ts'
import type { PlanWarning } from '../cpu/cpu-plan.ts'
import type { ServedModel } from '../model/served-model.ts'

/** Logs a loaded model's properties and any warnings about it. */
export function logLoaded(model: ModelConfig, served: ServedModel, warnings: PlanWarning[], logger: Logger): void {
  const { info, digest, quantization, mixesRows, int8, amxConvolutions, stemInBlocks, opset, runtimeVersion, warmUp } =
    served.loaded
  const { name, version } = model
  logger.info(
    {
      model: name,
      version,
      digest,
      opset,
      quantization,
      int8,
      amxConvolutions,
      stemInBlocks,
      runtimeVersion,
      warmUp,
      inputs: info.inputs,
      outputs: info.outputs,
      batching: served.batching,
    },
    'model loaded',
  )
  for (const { code, message } of warnings) logger.warn({ model: name, code }, message)
  for (const { affinity, placed, pid } of served.instances) {
    if (affinity.kind !== 'differs') continue
    logger.warn(
      { code: 'AFFINITY_DIFFERS', model: name, instancePid: pid, planned: placed.cpus, found: affinity.cpus },
      'an instance runs outside its cores',
    )
  }
  if (warmUp.kind === 'refused') {
    logger.warn(
      { model: name, reason: warmUp.message },
      'the model refuses zeros of every size tried: it was not warmed up; try requests of several sizes, an export may have kept those of its example',
    )
  }
  const mixing =
    quantization === 'dynamic'
      ? 'dynamic quantization takes its range from the whole batch'
      : mixesRows &&
        'a row was answered differently beside other rows (by a first dimension that is the time, a Softmax over it, a maximum of all rows, BatchNormalization in training mode?)'
  if (mixing && model.batch.sizeMax !== 1) {
    logger.warn({ model: name }, `${mixing}, so answers would depend on their neighbours: batching is off`)
  }
  if (mixesRows === undefined && served.batchSizeMax > 1) {
    const refused = warmUp.kind === 'done' ? 'every row tried except zeros' : 'every row tried'
    logger.warn(
      { model: name },
      `the model refuses ${refused}: whether answers depend on their neighbours is unknown, and they share batches; set batch.sizeMax: 1 if they should not`,
    )
  }
}
