/** Open Inference Protocol v2: metadata of the server and its models. */
import type { ModelInfo, TensorInfo } from '../tensor/model-info.ts'
import { protocolTypeOf } from '../tensor/tensor.ts'

/** The protocol's name of each extension served, or of the part that is. */
const extensions = [
  'binary_tensor_data',
  'classification',
  'model_configuration',
  'model_repository(index)',
  'parameters',
  'statistics',
]

export const serverMetadata = (version: string) => ({ name: 'understudy', version, extensions })

const platform = 'onnx_onnxruntime'

export function modelMetadata(name: string, versions: string[], info: ModelInfo) {
  const describe = ({ name, type, shape }: TensorInfo) => ({ name, datatype: protocolTypeOf(type), shape })
  return { name, versions, platform, inputs: info.inputs.map(describe), outputs: info.outputs.map(describe) }
}

/**
 * The subset of Triton's model configuration that applies here. `dims` omit the batch dimension if `max_batch_size` is
 * above zero.
 */
export function modelConfiguration(name: string, info: ModelInfo, instances: number, batchSizeMax: number) {
  const batched = info.batch.kind === 'dynamic' && batchSizeMax > 1
  const describe = ({ name, type, shape }: TensorInfo) => {
    const datatype = type === 'string' ? 'STRING' : protocolTypeOf(type)
    return { name, data_type: `TYPE_${datatype}`, dims: batched ? shape.slice(1) : shape }
  }
  return {
    name,
    platform,
    backend: 'onnxruntime',
    max_batch_size: batched ? batchSizeMax : 0,
    input: info.inputs.map(describe),
    output: info.outputs.map(describe),
    instance_group: [{ name, kind: 'KIND_CPU', count: instances }],
    ...(batched && { dynamic_batching: {} }),
  }
}

/** One entry of the repository index. */
export const repositoryEntry = (name: string, version: string, ready: boolean) =>
  ready
    ? { name, version, state: 'READY', reason: '' }
    : { name, version, state: 'UNAVAILABLE', reason: 'its instances are down or starting' }
