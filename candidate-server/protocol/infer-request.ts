/** Parses Open Inference Protocol v2 requests (REST): JSON with the binary tensor extension. */
import { badInput } from '../errors.ts'
import { checkInputs } from '../tensor/check-inputs.ts'
import { describeValue } from '../tensor/describe-value.ts'
import { isUnsafeInteger, quoteLongIntegers } from '../tensor/json-number.ts'
import { needsAllDigits, tensorOfElements } from '../tensor/json-tensor.ts'
import { fitsShape, formatShape, type ModelInfo } from '../tensor/model-info.ts'
import { flattenNested, shapeOfNested } from '../tensor/nested-array.ts'
import type { Tensor, Tensors } from '../tensor/tensor.ts'
import { tensorOfBytes } from './binary-tensor.ts'
import { headOf, type InferHead, type InputHead } from './infer-head.ts'
import { type Json, parseJson } from './json-body.ts'
import { tensorsOfRawBody } from './raw-binary.ts'
import { allOutputs } from './requested-outputs.ts'

export interface InferRequest extends Omit<InferHead, 'inputs'> {
  inputs: Tensors
}

/** Length of the JSON at the start of the body; binary input data follows. `undefined` if the header is absent. */
export type JsonBytes = number | undefined

/** Parses the `Inference-Header-Content-Length` header. Throws a 400. */
export function parseJsonBytes(header: string | undefined, body: Uint8Array): JsonBytes {
  if (header === undefined) return undefined
  const bytes = /^\d{1,15}$/.test(header) ? Number(header) : Number.NaN
  if (bytes <= body.length) return bytes
  const got = describeValue(header)
  throw badInput(`Inference-Header-Content-Length: expected at most the body's ${body.length} bytes, got ${got}`)
}

/** Throws a 400 that says what was expected. */
export function parseInferRequest(body: Uint8Array, jsonBytes: JsonBytes, info: ModelInfo): InferRequest {
  if (jsonBytes === 0) {
    return { id: undefined, inputs: tensorsOfRawBody(body, info), outputs: allOutputs(info, true), parameters: {} }
  }
  const json = body.subarray(0, jsonBytes)
  const { id, parameters, outputs, inputs: heads } = headOf(json, info)
  // checked before the data, which may take long to read if it is of another type
  checkInputs(info, Object.fromEntries(heads.map((head) => [head.name, head])))
  const inputs = parseInputs(heads, json, body.subarray(json.length))
  return { id, inputs, outputs, parameters }
}

function parseInputs(heads: readonly InputHead[], json: Uint8Array, binary: Uint8Array): Tensors {
  // parsed a second time, and only if digits were lost
  let exact: Json | undefined
  const exactData = (i: number) => {
    exact ??= parseJson(json, quoteLongIntegers) as Json
    return (exact.inputs as Json[])[i]!.data
  }
  const inputs: [string, Tensor][] = []
  let offset = 0
  for (const [i, head] of heads.entries()) {
    const { name, type, shape, bytes, floats } = head
    const place = `inputs[${i}]`
    if (floats) {
      inputs.push([name, { type, shape, data: floats.data }])
      continue
    }
    if (bytes === undefined) {
      inputs.push([name, parseData(head, place, () => exactData(i))])
      continue
    }
    if (offset + bytes > binary.length) {
      const left = `the ${binary.length - offset} bytes of binary data that are left`
      throw badInput(`${place}.parameters.binary_data_size: expected at most ${left}, got ${bytes}`)
    }
    inputs.push([name, tensorOfBytes(name, type, shape, binary.subarray(offset, offset + bytes))])
    offset += bytes
  }
  if (offset !== binary.length) {
    throw badInput(
      `expected ${offset} bytes of binary data after the JSON, as the inputs' binary_data_size say, got ${binary.length}`,
    )
  }
  // turns a name that is special on objects, such as `__proto__`, into an ordinary key
  return Object.fromEntries(inputs)
}

function parseData({ name, type, shape, data }: InputHead, place: string, exactData: () => unknown): Tensor {
  if (!Array.isArray(data)) {
    throw badInput(
      `${place}.data: expected an array of the elements, flat or nested, got ${describeValue(data)}; or binary data, its size in parameters.binary_data_size`,
    )
  }
  const nested = Array.isArray(data[0])
  const actual = nested ? shapeOfNested(data, [shape]) : shape
  if (!fitsShape(actual, shape)) {
    throw badInput(`${name}: expected the shape ${formatShape(shape)}, got ${formatShape(actual)}`)
  }
  const flat = (array: unknown) => (nested ? flattenNested(name, array, shape) : (array as unknown[]))
  const elements = flat(data)
  const exact = needsAllDigits(type) && elements.some(isUnsafeInteger) ? flat(exactData()) : elements
  return tensorOfElements(name, type, shape, exact)
}
