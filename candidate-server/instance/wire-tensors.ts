import type { Bytes } from '../../vocabulary/units.ts'
import {
  arrayOfBytes,
  bytesOfArray,
  type ElementType,
  type NumericArray,
  type Tensor,
  type Tensors,
} from '../tensor/tensor.ts'
import { exchangeBytesMin, readAt, writeAt } from './exchange-file.ts'

/** A tensor whose rows are spread over several buffers, in order. */
export interface TensorParts {
  type: ElementType
  shape: number[]
  parts: (NumericArray | string[])[]
}

/** Numeric data as bytes, which every Node version can structured-clone, or its position in the exchange file. */
export type WireTensors = Record<
  string,
  { type: ElementType; shape: number[]; data: Uint8Array | string[] | { at: Bytes; bytes: Bytes } }
>

/** Elements are at most eight bytes wide. */
const alignment = 8

/** `fd`: the exchange file; `undefined` sends everything with the message. */
export function toWire(tensors: Record<string, TensorParts>, fd: number | undefined): WireTensors {
  let end = 0
  return mapValues(tensors, ({ type, shape, parts }) => {
    if (type === 'string') return { type, shape, data: parts.flat() as string[] }
    const pieces = parts.map((part) => bytesOfArray(part as NumericArray))
    const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (fd !== undefined && bytes >= exchangeBytesMin && writeAt(fd, end, pieces)) {
      const at = end
      end = Math.ceil((at + bytes) / alignment) * alignment
      return { type, shape, data: { at, bytes } }
    }
    return { type, shape, data: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces) }
  })
}

/** `memory(bytes)` provides the buffer for data read from the exchange file. */
export function fromWire(
  tensors: WireTensors,
  fd: number | undefined,
  memory: (bytes: Bytes) => Uint8Array = (bytes) => Buffer.allocUnsafeSlow(bytes),
): Tensors {
  const end = exchangedBytes(tensors)
  const held = end > 0 ? memory(end).subarray(0, end) : new Uint8Array()
  if (end > 0) readAt(fd!, 0, held)
  return mapValues(tensors, ({ type, shape, data }): Tensor => {
    if (Array.isArray(data)) return { type, shape, data }
    const bytes = isExchanged(data) ? held.subarray(data.at, data.at + data.bytes) : data
    return { type, shape, data: arrayOfBytes(type as Exclude<ElementType, 'string'>, bytes) }
  })
}

/** How much of the exchange file these tensors occupy. */
export const exchangedBytes = (tensors: WireTensors): Bytes =>
  Math.max(0, ...Object.values(tensors).map(({ data }) => (isExchanged(data) ? data.at + data.bytes : 0)))

export const inParts = (tensors: Tensors): Record<string, TensorParts> =>
  mapValues(tensors, ({ type, shape, data }) => ({ type, shape, parts: [data] }))

const isExchanged = (data: WireTensors[string]['data']): data is { at: Bytes; bytes: Bytes } =>
  !Array.isArray(data) && !(data instanceof Uint8Array)

function mapValues<In, Out>(record: Record<string, In>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
