import type { Bytes } from '../../vocabulary/units.ts'

type Constructor =
  | Float32ArrayConstructor
  | Float64ArrayConstructor
  | Float16ArrayConstructor
  | Int8ArrayConstructor
  | Uint8ArrayConstructor
  | Int16ArrayConstructor
  | Uint16ArrayConstructor
  | Int32ArrayConstructor
  | Uint32ArrayConstructor
  | BigInt64ArrayConstructor
  | BigUint64ArrayConstructor

/** Each type's name in ONNX Runtime and in the Open Inference Protocol, and its typed array. */
export const elementTypes = {
  float32: { protocolName: 'FP32', array: Float32Array },
  float64: { protocolName: 'FP64', array: Float64Array },
  float16: { protocolName: 'FP16', array: Float16Array },
  int8: { protocolName: 'INT8', array: Int8Array },
  uint8: { protocolName: 'UINT8', array: Uint8Array },
  int16: { protocolName: 'INT16', array: Int16Array },
  uint16: { protocolName: 'UINT16', array: Uint16Array },
  int32: { protocolName: 'INT32', array: Int32Array },
  uint32: { protocolName: 'UINT32', array: Uint32Array },
  int64: { protocolName: 'INT64', array: BigInt64Array },
  uint64: { protocolName: 'UINT64', array: BigUint64Array },
  bool: { protocolName: 'BOOL', array: Uint8Array },
} as const satisfies Record<string, { protocolName: string; array: Constructor }>

export type NumericType = keyof typeof elementTypes
export type ElementType = NumericType | 'string'
export type NumericArray = InstanceType<Constructor>

/** Row-major. Strings are a plain array, everything else is a typed array. */
export interface Tensor {
  type: ElementType
  /** All dimensions, batch first. */
  shape: number[]
  data: NumericArray | string[]
}

/** By tensor name. */
export type Tensors = Record<string, Tensor>
/** Like `Tensors`, without the data. */
export type TensorHeads = Record<string, Pick<Tensor, 'type' | 'shape'>>

export const elementCount = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1)

export const isElementType = (name: string): name is ElementType =>
  name === 'string' || Object.hasOwn(elementTypes, name)

export const protocolTypeOf = (type: ElementType) => (type === 'string' ? 'BYTES' : elementTypes[type].protocolName)

export function bytesPerElement(type: NumericType): Bytes {
  return elementTypes[type].array.BYTES_PER_ELEMENT
}

/** A typed array over `bytes`; copies them only if they are misaligned for the type. */
export function arrayOfBytes(type: NumericType, bytes: Uint8Array): NumericArray {
  const { array } = elementTypes[type]
  const size = array.BYTES_PER_ELEMENT
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes)
  return new array(aligned.buffer as ArrayBuffer, aligned.byteOffset, Math.floor(aligned.byteLength / size))
}

export function bytesOfArray(array: NumericArray): Uint8Array {
  return new Uint8Array(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength)
}

/** Copies views into memory of their own, because cloning a view also clones the rest of its buffer. */
export const ownTensors = (tensors: Tensors): Tensors =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { type, shape, data }]) => [
      name,
      { type, shape, data: Array.isArray(data) || isWhole(data) ? data : (data.slice() as NumericArray) },
    ]),
  )

/** Whether a view covers its whole buffer. */
export const isWhole = ({ byteLength, buffer }: NodeJS.ArrayBufferView) => byteLength === buffer.byteLength

/** Size of the elements; approximate for texts. */
export function bytesIn(tensors: Tensors): Bytes {
  let bytes = 0
  for (const name in tensors) {
    const { data } = tensors[name]!
    if (Array.isArray(data)) for (const text of data) bytes += text.length
    else bytes += data.byteLength
  }
  return bytes
}

/** Filled with zeros or empty strings. */
export function emptyTensor(type: ElementType, shape: number[]): Tensor {
  const count = elementCount(shape)
  return {
    type,
    shape,
    data: type === 'string' ? new Array<string>(count).fill('') : new elementTypes[type].array(count),
  }
}

/** Rows `from` to `to` of the first dimension. Numeric data is a view, not a copy. */
export function sliceRows(tensor: Tensor, from: number, to: number): Tensor {
  const row = elementCount(tensor.shape.slice(1))
  const data = Array.isArray(tensor.data)
    ? tensor.data.slice(from * row, to * row)
    : (tensor.data.subarray(from * row, to * row) as NumericArray)
  return { type: tensor.type, shape: [to - from, ...tensor.shape.slice(1)], data }
}
