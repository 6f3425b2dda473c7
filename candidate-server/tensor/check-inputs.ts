import { badInput } from '../errors.ts'
import { fitsShape, formatShape, type ModelInfo, rowsOf } from './model-info.ts'
import { elementCount, protocolTypeOf, type TensorHeads } from './tensor.ts'

/**
 * Throws a 400 unless the tensors are exactly the model's inputs, each with the right type and shape and at least one
 * row. `partial`: a fixed batch may have fewer rows, which are then filled up.
 */
export function checkInputs(info: ModelInfo, tensors: TensorHeads, rows: 'whole' | 'partial' = 'whole'): void {
  const taken = info.inputs.map(({ name }) => name).join(', ') || 'none'
  for (const { name, type, shape: declared } of info.inputs) {
    const tensor = Object.hasOwn(tensors, name) ? tensors[name] : undefined
    const lacksRows = rows === 'partial' && info.batch.kind === 'fixed' && (tensor?.shape[0] ?? 0) < info.batch.size
    const shape = lacksRows ? [-1, ...declared.slice(1)] : declared
    if (!tensor) throw badInput(`input ${name} is missing; the model takes ${taken}`)
    if (tensor.type !== type) {
      throw badInput(`input ${name}: expected ${protocolTypeOf(type)}, got ${protocolTypeOf(tensor.type)}`)
    }
    if (!fitsShape(tensor.shape, shape)) {
      throw badInput(`input ${name}: expected the shape ${formatShape(shape)}, got ${formatShape(tensor.shape)}`)
    }
    if (tensor.shape.includes(0) && !mayBeEmpty(tensor.shape, tensors)) {
      throw badInput(`input ${name}: expected at least one element, got the shape ${formatShape(tensor.shape)}`)
    }
  }
  if (info.batch.kind === 'fixed' && rowsOf(tensors) === undefined) {
    const rows = info.inputs.map(({ name }) => `${name} ${tensors[name]!.shape[0]}`).join(', ')
    throw badInput(`expected as many rows in each input, got ${rows}`)
  }
  const unknown = Object.keys(tensors).find((name) => info.inputs.every((input) => input.name !== name))
  if (unknown !== undefined) throw badInput(`the model has no input ${unknown}; it takes ${taken}`)
}

/**
 * Limit for tensors with a dimension of zero: their other dimensions cost a client no bytes, but may make an output
 * large.
 */
const emptyTensorElementsMax = 2 ** 20

/** An input may be empty if others are not: a decoder's past is empty at its first step. */
const mayBeEmpty = (shape: readonly number[], tensors: TensorHeads) =>
  shape[0] !== 0 &&
  elementCount(shape.map((size) => size || 1)) <= emptyTensorElementsMax &&
  Object.values(tensors).some((other) => !other.shape.includes(0))

/**
 * Describes a dimension that two inputs share by name and in which these differ; `undefined` if there is none. This
 * alone is no fault: the runtime does not compare names, exporters share them carelessly, and a size of 1 may be spread
 * over the other.
 */
export function unequalDimension({ inputs }: ModelInfo, tensors: TensorHeads): string | undefined {
  const first = new Map<string, { name: string; size: number }>()
  for (const { name, dimensionNames = [] } of inputs) {
    for (const [i, dimension] of dimensionNames.entries()) {
      const size = tensors[name]!.shape[i]!
      const other = dimension === '' ? undefined : first.get(dimension)
      if (other && other.size !== size) return `${dimension} is ${other.size} in ${other.name} and ${size} in ${name}`
      first.set(dimension, { name, size })
    }
  }
  return undefined
}
