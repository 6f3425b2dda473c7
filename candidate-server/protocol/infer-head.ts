/** Parses what the JSON of an Open Inference Protocol request says about its tensors, before their data is read. */
import { badInput } from '../errors.ts'
import { describeValue } from '../tensor/describe-value.ts'
import type { Floats } from '../tensor/floats/read-floats.ts'
import { fitsShape, type ModelInfo } from '../tensor/model-info.ts'
import { dimensionsMax } from '../tensor/nested-array.ts'
import { type ElementType, elementCount } from '../tensor/tensor.ts'
import { cutFloats } from './cut-floats.ts'
import { elementTypeOf } from './data-types.ts'
import { objectAt, parseJson } from './json-body.ts'
import { countParameter, type Parameters, parametersOf } from './parameters.ts'
import { type RequestedOutput, requestedOutputs } from './requested-outputs.ts'

/** Everything the JSON says about a request, with `data` not yet converted. */
export interface InferHead {
  id: string | undefined
  inputs: InputHead[]
  outputs: RequestedOutput[]
  parameters: Parameters
}

export interface InputHead {
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

/** Throws a 400 that says what was expected. */
export function headOf(json: Uint8Array, info: ModelInfo): InferHead {
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
function isFilled({ type, shape, bytes, floats }: InputHead): boolean {
  const { shape: own, data } = floats!
  return (
    bytes === undefined &&
    type === 'float32' &&
    (own.length === 1 ? data.length === elementCount(shape) : fitsShape(own, shape))
  )
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
  if (bytes !== undefined && data !== undefined && data !== null) {
    throw badInput(`${place}: expected either data or binary_data_size, got both`)
  }
  return { name, type, shape, bytes, data }
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
