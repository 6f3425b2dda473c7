import { badInput } from '../errors.ts'
import { parseJson } from '../protocol/json-body.ts'
import { readFloats } from '../tensor/floats/read-floats.ts'
import { isUnsafeInteger, quoteLongIntegers } from '../tensor/json-number.ts'
import { needsAllDigits, tensorOfElements } from '../tensor/json-tensor.ts'
import { fitsShape, formatShape, type TensorInfo } from '../tensor/model-info.ts'
import { flattenNested, shapeOfNested } from '../tensor/nested-array.ts'
import { elementCount, type Tensor, type Tensors } from '../tensor/tensor.ts'
import { type AdapterModel, type AdapterRequest, hasBatchDimension } from './adapter.ts'

/** `adapter: tensor`: the only input's array or `{"NAME": array}`, without the batch dimension. Throws a 400. */
export function tensorsOfJson(request: AdapterRequest, model: AdapterModel): Tensors {
  const [only, ...others] = model.inputs
  if (only?.type === 'float32' && others.length === 0) {
    const read = readFloats(request.body, mostElements(only, model))
    if (read) return { [only.name]: { type: 'float32', shape: shapeOf(only, read.shape, model), data: read.data } }
  }
  const value = request.json()
  // parsed a second time, and only if digits were lost
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

/** The most elements that a value may have; a dynamic batch counts as one row. */
function mostElements({ shape }: TensorInfo, { runsAlone }: AdapterModel): number {
  const [batch = 1, ...row] = shape
  return row.includes(-1) || (batch === -1 && runsAlone)
    ? Number.POSITIVE_INFINITY
    : elementCount([Math.abs(batch), ...row])
}

/** `exact`: the same value with whole numbers as strings, so that no digits are lost. */
function tensorOf(input: TensorInfo, value: unknown, exact: () => unknown, model: AdapterModel): Tensor {
  const { name, type } = input
  const whole = mayIncludeBatch(model) ? [input.shape] : []
  const actual = shapeOfNested(value, [rowShapeOf(input, model), ...whole])
  const shape = shapeOf(input, actual, model)
  const flat = flattenNested(name, value, actual)
  const elements = needsAllDigits(type) && flat.some(isUnsafeInteger) ? flattenNested(name, exact(), actual) : flat
  return tensorOfElements(name, type, shape, elements)
}

/** Whether the value may include the first dimension: all rows of a fixed batch, or an input that runs alone. */
const mayIncludeBatch = ({ batch, runsAlone }: AdapterModel) => runsAlone || (batch.kind === 'fixed' && batch.size > 1)

const rowShapeOf = ({ shape }: TensorInfo, model: AdapterModel) =>
  hasBatchDimension(shape, model) ? shape.slice(1) : shape

/** The shape with the batch dimension added if the array came without it. */
function shapeOf(input: TensorInfo, actual: number[], model: AdapterModel): number[] {
  const { name, shape } = input
  if (mayIncludeBatch(model) && fitsShape(actual, shape)) return actual
  const expected = rowShapeOf(input, model)
  const batched = expected !== shape
  // a column of [rows, 1], as app servers take it: {"age": 22}
  if (actual.length === 0 && expected.every((size) => size === 1)) return batched ? [1, ...expected] : expected
  if (fitsShape(actual, expected)) return batched ? [1, ...actual] : actual
  const hint = batched && fitsShape(actual, shape) ? '; leave the batch dimension out' : ''
  const orWhole = batched && mayIncludeBatch(model) ? ` or ${formatShape(shape)}` : ''
  throw badInput(
    `input ${name}: expected ${inWords(expected, 'an array of shape')}${orWhole}, got ${inWords(actual)}${hint}`,
  )
}

const inWords = (shape: readonly number[], kind = '') =>
  shape.length === 0 ? 'one value' : `${kind} ${formatShape(shape)}`.trimStart()

function expectation(model: AdapterModel): string {
  const named = model.inputs
    .map((input) => `"${input.name}": ${inWords(rowShapeOf(input, model), 'array of')}`)
    .join(', ')
  return model.inputs.length === 1 ? `an array, or {${named}}` : `{${named}}`
}
