/** Open Inference Protocol v2, REST: what a client asks for, in JSON with the binary tensor extension. */

import { checkInputs } from '../model/check-inputs.ts'
import { describeValue } from '../model/describe-value.ts'
import { isUnsafeInteger, quoteLongIntegers } from '../model/json-number.ts'
import { needsAllDigits, tensorOfElements } from '../model/json-tensor.ts'
import { fitsShape, formatShape, type ModelInfo } from '../model/model-info.ts'
import { dimensionsMax, flattenNested, shapeOfNested } from '../model/nested-array.ts'
import type { ElementType, Tensor, Tensors } from '../model/tensor.ts'
import { tensorOfBytes } from './binary-tensor.ts'
import { elementTypeOf } from './data-types.ts'
import { badInput } from './errors.ts'
import { type Json, objectAt, parseJson } from './json-body.ts'
import { countParameter, type Parameters, parametersOf } from './parameters.ts'
import { tensorsOfRawBody } from './raw-binary.ts'
import { allOutputs, type RequestedOutput, requestedOutputs } from './requested-outputs.ts'

export interface InferRequest {
  id: string | undefined
  inputs: Tensors
  outputs: RequestedOutput[]
  parameters: Parameters
}

/** The body's bytes that are JSON; the inputs' own follow them. `undefined` stands for a request without the header. */
export type JsonBytes = number | undefined

/** The `Inference-Header-Content-Length` header. Throws a 400. */
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
  const json = body.subarray(0, jsonBytes ?? body.length)
  const document = objectAt(parseJson(json), 'the body')
  const { id } = document
  if (id !== undefined && typeof id !== 'string') throw badInput(`id: expected a string, got ${describeValue(id)}`)
  const parameters = parametersOf(document, '')
  const outputs = requestedOutputs(document, parameters, info)
  const inputs = parseInputs(document, json, body.subarray(json.length))
  checkInputs(info, inputs)
  return { id, inputs, outputs, parameters }
}

function parseInputs(document: Json, json: Uint8Array, binary: Uint8Array): Tensors {
  if (!Array.isArray(document.inputs) || document.inputs.length === 0) {
    throw badInput('inputs: expected an array of {"name", "shape", "datatype", "data"}')
  }
  // parsed once more, and only where digits were lost
  let exact: Json | undefined
  const exactData = (i: number) => {
    exact ??= parseJson(json, quoteLongIntegers) as Json
    return (exact.inputs as Json[])[i]!.data
  }
  const inputs = new Map<string, Tensor>()
  let offset = 0
  for (const [i, value] of document.inputs.entries()) {
    const place = `inputs[${i}]`
    const input = objectAt(value, place)
    const { name } = input
    if (typeof name !== 'string') throw badInput(`${place}.name: expected a string, got ${describeValue(name)}`)
    if (inputs.has(name)) throw badInput(`${place}: ${name} is there twice`)
    const type = elementTypeOf(input.datatype, `${place}.datatype`)
    const shape = parseShape(input.shape, `${place}.shape`)
    const size = countParameter(parametersOf(input, place), 'binary_data_size', `${place}.parameters`)
    if (size === undefined) {
      inputs.set(
        name,
        parseData(name, type, shape, input.data, place, () => exactData(i)),
      )
      continue
    }
    if (input.data !== undefined) throw badInput(`${place}: expected either data or binary_data_size, got both`)
    if (offset + size > binary.length) {
      const left = `the ${binary.length - offset} bytes of binary data that are left`
      throw badInput(`${place}.parameters.binary_data_size: expected at most ${left}, got ${size}`)
    }
    inputs.set(name, tensorOfBytes(name, type, shape, binary.subarray(offset, offset + size)))
    offset += size
  }
  if (offset !== binary.length) {
    throw badInput(
      `expected ${offset} bytes of binary data after the JSON, as the inputs' binary_data_size say, got ${binary.length}`,
    )
  }
  return Object.fromEntries(inputs)
}

function parseShape(shape: unknown, place: string): number[] {
  if (!Array.isArray(shape)) throw badInput(`${place}: expected an array of whole numbers, got ${describeValue(shape)}`)
  if (shape.length > dimensionsMax) {
    throw badInput(`${place}: expected at most ${dimensionsMax} dimensions, got ${shape.length}`)
  }
  const wrong = shape.findIndex((size) => !Number.isSafeInteger(size) || size < 0)
  if (wrong < 0) return shape
  throw badInput(`${place}: expected whole numbers from 0, got ${describeValue(shape[wrong])} at dimension ${wrong}`)
}

function parseData(
  name: string,
  type: ElementType,
  shape: number[],
  data: unknown,
  place: string,
  exactData: () => unknown,
): Tensor {
  if (!Array.isArray(data)) {
    throw badInput(
      `${place}.data: expected an array of the elements, flat or nested, got ${describeValue(data)}; or binary data, its size in parameters.binary_data_size`,
    )
  }
  const nested = Array.isArray(data[0])
  if (nested && !fitsShape(shapeOfNested(data), shape)) {
    throw badInput(`${name}: expected the shape ${formatShape(shape)}, got ${formatShape(shapeOfNested(data))}`)
  }
  const flat = (array: unknown) => (nested ? flattenNested(name, array, shape) : (array as unknown[]))
  const elements = flat(data)
  const exact = needsAllDigits(type) && elements.some(isUnsafeInteger) ? flat(exactData()) : elements
  return tensorOfElements(name, type, shape, exact)
}
