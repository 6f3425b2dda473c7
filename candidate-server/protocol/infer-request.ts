/** Parses Open Inference Protocol v2 requests (REST): JSON with the binary tensor extension. */

import { badInput } from '../errors.ts'
import { checkInputs } from '../tensor/check-inputs.ts'
import { describeValue } from '../tensor/describe-value.ts'
import type { Floats } from '../tensor/floats/read-floats.ts'
import { isUnsafeInteger, quoteLongIntegers } from '../tensor/json-number.ts'
import { needsAllDigits, tensorOfElements } from '../tensor/json-tensor.ts'
import { fitsShape, formatShape, type ModelInfo } from '../tensor/model-info.ts'
import { dimensionsMax, flattenNested, shapeOfNested } from '../tensor/nested-array.ts'
import { type ElementType, elementCount, type Tensor, type Tensors } from '../tensor/tensor.ts'
import { tensorOfBytes } from './binary-tensor.ts'
import { cutFloats } from './cut-floats.ts'
import { elementTypeOf } from './data-types.ts'
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
  const json = body.subarray(0, jsonBytes ?? body.length)
  const { id, parameters, outputs, inputs: heads } = headOf(json, info)
  // checked before the data, which may take long to read if it is of another type
  checkInputs(info, Object.fromEntries(heads.map((head) => [head.name, head])))
  const inputs = parseInputs(heads, json, body.subarray(json.length))
  return { id, inputs, outputs, parameters }
}

/** Everything the JSON says about a request, with `data` not yet converted. */
interface InferHead extends Omit<InferRequest, 'inputs'> {
  inputs: InputHead[]
}

interface InputHead {
  name: string
  type: ElementType
  shape: number[]
  /** Size of its binary data; `undefined` if the data is in `data`. */
  bytes: number | undefined
  /** Numbers that have already been read. */
  floats?: Floats
  data: unknown
}

/** Each model's last request whose data was all binary: most clients repeat the same JSON byte for byte. */
const lastHeads = new WeakMap<ModelInfo, { json: Buffer; head: InferHead }>()
/** Longer JSON is not kept. */
const keptBytesMax = 4 * 1024

function headOf(json: Uint8Array, info: ModelInfo): InferHead {
  const last = lastHeads.get(info)
  if (last?.json.equals(json)) return last.head
  const head = headOfFloats(json, info) ?? parseHead(json, info)
  if (json.length <= keptBytesMax && head.inputs.every(({ bytes }) => bytes !== undefined)) {
    lastHeads.set(info, { json: Buffer.from(json), head })
  }
  return head
}

/** `undefined` if the JSON has to be parsed whole, perhaps only to report an error. */
function headOfFloats(json: Uint8Array, info: ModelInfo): InferHead | undefined {
  if (info.inputs.some(({ type }) => type !== 'float32')) return undefined
  try {
    const cut = cutFloats(json, info.inputs.length)
    if (!cut) return undefined
    const head = parseHead(cut.json, info)
    const given = head.inputs.filter(({ data }) => data === null)
    for (const [i, input] of given.entries()) input.floats = cut.arrays[i]!
    return given.length === cut.arrays.length && given.every(isFilled) ? head : undefined
  } catch {
    return undefined
  }
}

/** Flat data fits any shape. */
function isFilled({ type, shape, floats }: InputHead): boolean {
  const { shape: own, data } = floats!
  return type === 'float32' && (own.length === 1 ? data.length === elementCount(shape) : fitsShape(own, shape))
}

function parseHead(json: Uint8Array, info: ModelInfo): InferHead {
  const document = objectAt(parseJson(json), 'the body')
  const id = document.id ?? undefined
  if (id !== undefined && typeof id !== 'string') throw badInput(`id: expected a string, got ${describeValue(id)}`)
  const parameters = parametersOf(document, '')
  const outputs = requestedOutputs(document, parameters, info)
  if (!Array.isArray(document.inputs)) {
    throw badInput('inputs: expected an array of {"name", "shape", "datatype", "data"}')
  }
  const names = new Set<string>()
  const inputs = document.inputs.map((value, i) => {
    const input = parseInputHead(value, `inputs[${i}]`)
    if (names.has(input.name)) throw badInput(`inputs[${i}]: ${input.name} is there twice`)
    names.add(input.name)
    return input
  })
  return { id, parameters, outputs, inputs }
}

function parseInputHead(value: unknown, place: string): InputHead {
  const input = objectAt(value, place)
  const { name, data } = input
  if (typeof name !== 'string') throw badInput(`${place}.name: expected a string, got ${describeValue(name)}`)
  const type = elementTypeOf(input.datatype, `${place}.datatype`)
  const shape = parseShape(input.shape, `${place}.shape`)
  const bytes = countParameter(parametersOf(input, place), 'binary_data_size', `${place}.parameters`)
  if (bytes !== undefined && data !== undefined) {
    throw badInput(`${place}: expected either data or binary_data_size, got both`)
  }
  return { name, type, shape, bytes, data }
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
  for (const [i, { name, type, shape, bytes, floats, data }] of heads.entries()) {
    const place = `inputs[${i}]`
    if (floats) {
      inputs.push([name, { type, shape, data: floats.data }])
      continue
    }
    if (bytes === undefined) {
      inputs.push([name, parseData(name, type, shape, data, place, () => exactData(i))])
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
  const actual = nested ? shapeOfNested(data, [shape]) : shape
  if (!fitsShape(actual, shape)) {
    throw badInput(`${name}: expected the shape ${formatShape(shape)}, got ${formatShape(actual)}`)
  }
  const flat = (array: unknown) => (nested ? flattenNested(name, array, shape) : (array as unknown[]))
  const elements = flat(data)
  const exact = needsAllDigits(type) && elements.some(isUnsafeInteger) ? flat(exactData()) : elements
  return tensorOfElements(name, type, shape, exact)
}
