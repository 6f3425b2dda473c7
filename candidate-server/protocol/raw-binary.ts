import { badInput } from '../errors.ts'
import { checkInputs } from '../tensor/check-inputs.ts'
import { formatShape, type ModelInfo } from '../tensor/model-info.ts'
import { bytesPerElement, elementCount, protocolTypeOf, type Tensors } from '../tensor/tensor.ts'
import { decodeText, tensorOfBytes } from './binary-tensor.ts'

/**
 * A body that consists only of the elements of the model's only input, as one row: little-endian, or for BYTES a single
 * text without its length. The body's size determines the one dimension that the model leaves open. A fixed batch takes
 * all its rows or, if `rows` is `partial`, also a single one. Throws a 400.
 */
export function tensorsOfRawBody(body: Uint8Array, info: ModelInfo, rows: 'whole' | 'partial' = 'whole'): Tensors {
  const [input] = info.inputs
  if (!input || info.inputs.length !== 1) {
    const names = info.inputs.map(({ name }) => name).join(', ') || 'none'
    throw badInput(`a raw body is for models of one input, and this one takes ${names}; describe them in JSON`)
  }
  const { name, type } = input
  // of a text, the size tells nothing
  const isWhole = type !== 'string' && body.length === bytesPerElement(type) * elementCount(input.shape)
  const isOneRow = info.batch.kind === 'dynamic' || (info.batch.kind === 'fixed' && rows === 'partial' && !isWhole)
  const shape = input.shape.map((size, i) => (i === 0 && isOneRow ? 1 : size))
  const open = shape.flatMap((size, i) => (size === -1 ? [i] : []))
  if (open.length > 1) {
    throw badInput(`a raw body cannot tell the shape ${formatShape(input.shape)} of ${name}; describe it in JSON`)
  }
  const bytesOfOne = (type === 'string' ? 1 : bytesPerElement(type)) * elementCount(shape.filter((size) => size !== -1))
  if (open.length === 1) shape[open[0]!] = type === 'string' ? 1 : body.length / bytesOfOne
  if (!shape.every(Number.isInteger) || elementCount(shape) === 0) {
    throw badInput(`${name}: expected a multiple of ${bytesOfOne} bytes of ${protocolTypeOf(type)}, got ${body.length}`)
  }
  const tensors = { [name]: type === 'string' ? textTensor(name, shape, body) : tensorOfBytes(name, type, shape, body) }
  checkInputs(info, tensors, rows)
  return tensors
}

function textTensor(name: string, shape: number[], body: Uint8Array) {
  if (elementCount(shape) !== 1) {
    throw badInput(`a raw body holds one text, and ${name} takes the shape ${formatShape(shape)}; describe it in JSON`)
  }
  return { type: 'string' as const, shape, data: [decodeText(name, body)] }
}
