import { toJsonElements } from '../tensor/json-tensor.ts'
import { protocolTypeOf, type Tensors } from '../tensor/tensor.ts'
import { encodeBinary } from './binary-tensor.ts'
import { classify } from './classification.ts'
import type { InferRequest } from './infer-request.ts'

export interface AnsweringModel {
  name: string
  version: string
  digest: string
  labels: readonly string[] | undefined
  /** Whether outputs have one row per row of the request. */
  batched: boolean
}

interface InferResponse {
  headers: Record<string, string>
  body: Buffer
}

export function renderInferResponse(
  { name, version, digest, labels, batched }: AnsweringModel,
  { id, outputs }: Pick<InferRequest, 'id' | 'outputs'>,
  results: Tensors,
): InferResponse {
  const parts: Buffer[] = []
  const rendered = outputs.map(({ name, binary, classes }) => {
    const tensor = classes > 0 ? classify(results[name]!, classes, labels, batched) : results[name]!
    const head = { name, datatype: protocolTypeOf(tensor.type), shape: tensor.shape }
    if (!binary) return { ...head, data: toJsonElements(tensor) }
    const bytes = encodeBinary(tensor)
    parts.push(bytes)
    return { ...head, parameters: { binary_data_size: bytes.length } }
  })
  const document = {
    model_name: name,
    model_version: version,
    id,
    parameters: { model_digest: digest },
    outputs: rendered,
  }
  const json = Buffer.from(JSON.stringify(document))
  if (parts.length === 0) return { headers: { 'content-type': 'application/json' }, body: json }
  return {
    headers: { 'content-type': 'application/octet-stream', 'inference-header-content-length': String(json.length) },
    body: Buffer.concat([json, ...parts]),
  }
}
