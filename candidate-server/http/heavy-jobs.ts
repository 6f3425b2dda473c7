import { isMarkedAsUntransferable } from 'node:worker_threads'
import type { AdapterModel, UnreadRequest } from '../adapter/adapter.ts'
import { onlyPart } from '../adapter/multipart.ts'
import { predictionsOf } from '../adapter/predictions.ts'
import { tensorsOfJson } from '../adapter/tensor.ts'
import { type InferRequest, type JsonBytes, parseInferRequest } from '../protocol/infer-request.ts'
import { type AnsweringModel, renderInferResponse } from '../protocol/infer-response.ts'
import { parseJson } from '../protocol/json-body.ts'
import { tensorsOfRawBody } from '../protocol/raw-binary.ts'
import type { ModelInfo } from '../tensor/model-info.ts'
import type { Tensors } from '../tensor/tensor.ts'

/** Media types are case-insensitive and may carry parameters (RFC 9110, 8.3.1). */
const isRaw = /^application\/octet-stream\s*(?:;|$)/i

/** Pure functions that are slow for large bodies. */
export const heavyJobs = {
  parseInfer: (body: Uint8Array, jsonBytes: JsonBytes, info: ModelInfo) => parseInferRequest(body, jsonBytes, info),
  async parseTensors(request: UnreadRequest, model: AdapterModel) {
    const { headers, body } = await onlyPart(request)
    return isRaw.test(headers['content-type'] ?? '')
      ? tensorsOfRawBody(body, model, 'partial')
      : tensorsOfJson({ ...request, headers, body, json: () => parseJson(body) }, model)
  },
  renderInfer: (model: AnsweringModel, request: Pick<InferRequest, 'id' | 'outputs'>, results: Tensors) =>
    renderInferResponse(model, request, results),
  renderPredictions: (outputs: Tensors, model: AdapterModel) =>
    Buffer.from(JSON.stringify(predictionsOf(outputs, model))),
}
export type HeavyJobs = typeof heavyJobs

/**
 * The buffers under typed arrays nested in plain objects and arrays: these can move to another thread without a copy.
 * Slices of Node's shared pool are left out, because other buffers live in the same memory.
 */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  const collect = (node: unknown): void => {
    if (node instanceof ArrayBuffer) isMarkedAsUntransferable(node) || buffers.add(node)
    else if (ArrayBuffer.isView(node)) collect(node.buffer)
    // arrays are homogeneous (all strings, all numbers or all objects), so the first element stands for the rest
    else if (Array.isArray(node)) typeof node[0] === 'object' && node.forEach(collect)
    else if (node !== null && typeof node === 'object') for (const child of Object.values(node)) collect(child)
  }
  collect(value)
  return [...buffers]
}
