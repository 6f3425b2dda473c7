import type { BatchLimits } from '../batch/request-queue.ts'
import type { ModelConfig } from '../config/model.ts'
import type { LoadedModel } from '../instance/messages.ts'
import { batchDimensionOf, formatShape } from '../tensor/model-info.ts'

const defaultSize = 8

/** `sizeMax`: the batch size if none is configured. */
export function batchOfGroup({ batch, dispatch }: ModelConfig, group: number, sizeMax = defaultSize): BatchLimits {
  const own = dispatch?.groups[group]?.batch
  return {
    sizeMax: own?.sizeMax ?? batch.sizeMax ?? sizeMax,
    delayMaxMs: own?.delayMax ?? batch.delayMax,
  }
}

/** One per group. Throws if the configured batch size does not suit the model's inputs. */
export function batchLimits(model: ModelConfig, { info }: LoadedModel): BatchLimits[] {
  const groups = model.dispatch?.groups ?? [{ batch: undefined }]
  for (const { batch } of groups) {
    const asked = batch?.sizeMax ?? model.batch.sizeMax ?? 1
    if (info.batch.kind === 'fixed' && asked > info.batch.size) {
      throw new Error(
        `model ${model.name}: batch.sizeMax is ${asked}, and the first dimension of its inputs is fixed at ${info.batch.size}; export it with a dynamic first dimension (torch.onnx.export: dynamic_shapes), or set batch.sizeMax: ${info.batch.size}`,
      )
    }
    if (info.batch.kind === 'none' && asked > 1) {
      const [inputs, outputs] = [info.inputs, info.outputs].map((all) =>
        all.map(({ name, shape }) => `${name} ${formatShape(shape)}`).join(', '),
      )
      const isDynamic = batchDimensionOf(info.inputs, info.outputs).kind === 'dynamic'
      const wayOut = isDynamic
        ? ''
        : 'export it with one dynamic first dimension of all of them (torch.onnx.export: dynamic_shapes), or '
      throw new Error(
        `model ${model.name}: batch.sizeMax is ${asked}, and requests cannot share a batch: its outputs have not one row for each row of its inputs (${inputs || 'none'} → ${outputs}); ${wayOut}leave batch.sizeMax out`,
      )
    }
  }
  return groups.map((_, g) => batchOfGroup(model, g, info.batch.kind === 'fixed' ? info.batch.size : undefined))
}
