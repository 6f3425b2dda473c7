import { isMarkedAsUntransferable } from 'node:worker_threads'
import type { AdapterModel, AdapterRequest } from '../adapter/adapter.ts'
import { onlyPart } from '../adapter/only-part.ts'
import { predictionsOf } from '../adapter/predictions.ts'
import { tensorAdapter } from '../adapter/tensor.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Tensors } from '../model/tensor.ts'
import { type InferRequest, type JsonBytes, parseInferRequest } from '../protocol/infer-request.ts'
import { type AnsweringModel, renderInferResponse } from '../protocol/infer-response.ts'
import { parseJson } from '../protocol/json-body.ts'
import { tensorsOfRawBody } from '../protocol/raw-binary.ts'

/** A media type has neither case nor need of its parameters (RFC 9110, 8.3.1). */
const isRaw = /^application\/octet-stream\s*(?:;|$)/i

/** What takes long with large bodies, and depends on nothing but its arguments. */
export const heavyJobs = {
  parseInfer: (body: Uint8Array, jsonBytes: JsonBytes, info: ModelInfo) => parseInferRequest(body, jsonBytes, info),
  async parseTensors(request: Omit<AdapterRequest, 'json'>, model: AdapterModel) {
    const { headers, body } = await onlyPart(request)
    return isRaw.test(headers['content-type'] ?? '')
      ? tensorsOfRawBody(body, model)
      : tensorAdapter.toTensors({ ...request, headers, body, json: () => parseJson(body) }, model)
  },
  renderInfer: (model: AnsweringModel, request: Pick<InferRequest, 'id' | 'outputs'>, results: Tensors) =>
    renderInferResponse(model, request, results),
  renderPredictions: (outputs: Tensors, model: AdapterModel) =>
    Buffer.from(JSON.stringify(predictionsOf(outputs, model))),
}
export type HeavyJobs = typeof heavyJobs

/**
 * The memory under typed arrays at any depth of plain objects and arrays: it moves to another thread uncopied. What
 * lies in Node's pool does not: others have theirs there.
 */
export function buffersIn(value: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  const collect = (node: unknown): void => {
    if (node instanceof ArrayBuffer) isMarkedAsUntransferable(node) || buffers.add(node)
    else if (ArrayBuffer.isView(node)) collect(node.buffer)
    // an array's first element tells what the rest is: data is all texts, all numbers or all objects
    else if (Array.isArray(node)) typeof node[0] === 'object' && node.forEach(collect)
    else if (node !== null && typeof node === 'object') for (const child of Object.values(node)) collect(child)
  }
  collect(value)
  return [...buffers]
}
