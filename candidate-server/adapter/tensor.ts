import { badInput } from '../errors.ts'
import { readFloats } from '../model/floats/read-floats.ts'
import { isUnsafeInteger, quoteLongIntegers } from '../model/json-number.ts'
import { needsAllDigits, tensorOfElements } from '../model/json-tensor.ts'
import { fitsShape, formatShape, type ModelInfo, type TensorInfo } from '../model/model-info.ts'
import { flattenNested, shapeOfNested } from '../model/nested-array.ts'
import { elementCount, type Tensor, type Tensors } from '../model/tensor.ts'
import { parseJson } from '../protocol/json-body.ts'
import { type Adapter, type AdapterModel, type AdapterRequest, hasBatchDimension } from './adapter.ts'
import { predictionsOf } from './predictions.ts'

/** The only input's array, or `{"NAME": array}`, without the batch dimension. */
export const tensorAdapter = {
  toTensors: (request: AdapterRequest, model: AdapterModel) => tensorsOfJson(request, model),
  toResponse: predictionsOf,
} satisfies Adapter

function tensorsOfJson(request: AdapterRequest, model: ModelInfo): Tensors {
  const [only, ...others] = model.inputs
  if (only?.type === 'float32' && others.length === 0) {
    const read = readFloats(request.body, mostElements(only.shape))
    if (read) return { [only.name]: { type: 'float32', shape: shapeOf(only, read.shape, model), data: read.data } }
  }
  const value = request.json()
  // parsed once more, and only where digits were lost
  let again: unknown
  const exact = () => {
    again ??= parseJson(request.body, quoteLongIntegers)
    return again
  }
  const names = model.inputs.map(({ name }) => name)
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const given = value as Record<string, unknown>
    const unknown = Object.keys(given).find((key) => !names.includes(key))
    if (unknown !== undefined) throw badInput(`the model has no input ${unknown}; expected ${expectation(model)}`)
    const missing = names.find((name) => !Object.hasOwn(given, name))
    if (missing !== undefined) throw badInput(`input ${missing} is missing; expected ${expectation(model)}`)
    const exactOf = (name: string) => (exact() as typeof given)[name]
    return Object.fromEntries(
      model.inputs.map((input) => [input.name, tensorOf(input, given[input.name], () => exactOf(input.name), model)]),
    )
  }
  if (model.inputs.length !== 1) throw badInput(`expected ${expectation(model)}`)
  return { [names[0]!]: tensorOf(model.inputs[0]!, value, exact, model) }
}

/** Of a batch that may have any size only one row. */
const mostElements = ([batch, ...row]: readonly number[]) =>
  row.includes(-1) ? Number.POSITIVE_INFINITY : elementCount([Math.abs(batch ?? 1), ...row])

/** `exact`: the value with all digits of its whole numbers, as strings. */
function tensorOf(input: TensorInfo, value: unknown, exact: () => unknown, model: ModelInfo): Tensor {
  const { name, type } = input
  const whole = mayComeWhole(model) ? [input.shape] : []
  const actual = shapeOfNested(value, [...whole, rowShapeOf(input, model)])
  const shape = shapeOf(input, actual, model)
  const flat = flattenNested(name, value, actual)
  const elements = needsAllDigits(type) && flat.some(isUnsafeInteger) ? flattenNested(name, exact(), actual) : flat
  return tensorOfElements(name, type, shape, elements)
}

/** A fixed batch, with all its rows. */
const mayComeWhole = ({ batch }: ModelInfo) => batch.kind === 'fixed' && batch.size > 1

const rowShapeOf = ({ shape }: TensorInfo, model: ModelInfo) =>
  hasBatchDimension(shape, model) ? shape.slice(1) : shape

/** With the batch dimension, of an array that comes without it. */
function shapeOf(input: TensorInfo, actual: number[], model: ModelInfo): number[] {
  const { name, shape } = input
  if (mayComeWhole(model) && fitsShape(actual, shape)) return actual
  const expected = rowShapeOf(input, model)
  const batched = expected !== shape
  if (fitsShape(actual, expected)) return batched ? [1, ...actual] : actual
  const hint = batched && fitsShape(actual, shape) ? '; leave the batch dimension out' : ''
  throw badInput(`input ${name}: expected ${inWords(expected, 'an array of shape')}, got ${inWords(actual)}${hint}`)
}

const inWords = (shape: readonly number[], kind = '') =>
  shape.length === 0 ? 'one value' : `${kind} ${formatShape(shape)}`.trimStart()

function expectation(model: ModelInfo): string {
  const named = model.inputs
    .map((input) => `"${input.name}": ${inWords(rowShapeOf(input, model), 'array of')}`)
    .join(', ')
  return model.inputs.length === 1 ? `an array, or {${named}}` : `{${named}}`
}
