import { isUnsafeInteger, quoteLongIntegers } from '../model/json-number.ts'
import { flattenNested, needsAllDigits, shapeOfNested, tensorOfElements } from '../model/json-tensor.ts'
import { fitsShape, formatShape, type ModelInfo, type TensorInfo } from '../model/model-info.ts'
import type { Tensor, Tensors } from '../model/tensor.ts'
import { badInput } from '../protocol/errors.ts'
import { parseJson } from '../protocol/json-body.ts'
import { type Adapter, type AdapterModel, type AdapterRequest, hasBatchDimension } from './adapter.ts'
import { predictionsOf } from './predictions.ts'

/** The only input's array, or `{"NAME": array}`, without the batch dimension. */
export const tensorAdapter = {
  toTensors: (request: AdapterRequest, model: AdapterModel) => tensorsOfJson(request, model),
  toResponse: predictionsOf,
} satisfies Adapter

function tensorsOfJson(request: AdapterRequest, model: ModelInfo): Tensors {
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

/** `exact`: the value with all digits of its whole numbers, as strings. */
function tensorOf({ name, type, shape }: TensorInfo, value: unknown, exact: () => unknown, model: ModelInfo): Tensor {
  const actual = shapeOfNested(value)
  const elements = () => {
    const flat = flattenNested(name, value, actual)
    return needsAllDigits(type) && flat.some(isUnsafeInteger) ? flattenNested(name, exact(), actual) : flat
  }
  // a fixed batch may also come whole
  if (model.batch.kind === 'fixed' && model.batch.size > 1 && fitsShape(actual, shape)) {
    return tensorOfElements(name, type, actual, elements())
  }
  const batched = hasBatchDimension(shape, model)
  const expected = batched ? shape.slice(1) : shape
  if (!fitsShape(actual, expected)) {
    const hint = batched && fitsShape(actual, shape) ? '; leave the batch dimension out' : ''
    throw badInput(
      `input ${name}: expected an array of shape ${formatShape(expected)}, got ${formatShape(actual)}${hint}`,
    )
  }
  return tensorOfElements(name, type, batched ? [1, ...actual] : actual, elements())
}

function expectation(model: ModelInfo): string {
  const named = model.inputs
    .map(
      ({ name, shape }) =>
        `"${name}": array of ${formatShape(hasBatchDimension(shape, model) ? shape.slice(1) : shape)}`,
    )
    .join(', ')
  return model.inputs.length === 1 ? `an array, or {${named}}` : `{${named}}`
}
