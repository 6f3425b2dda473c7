import { type InferenceSession, Tensor as RuntimeTensor } from 'onnxruntime-node'
import {
  arrayOfBytes,
  bytesOfArray,
  type ElementType,
  type NumericArray,
  type Tensor,
  type Tensors,
} from '../tensor/tensor.ts'

// measured with 1.30.0: the binding reads no bytes from a Float16Array, but if the class does not exist it uses
// Uint16Array instead. tensor/tensor.ts, which is loaded earlier, keeps its own reference
Reflect.deleteProperty(globalThis, 'Float16Array')

export async function run(session: InferenceSession, inputs: Tensors): Promise<Tensors> {
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, { type, shape, data }]) => [
      name,
      new RuntimeTensor(
        type as 'float32',
        (type === 'float16' ? asBits(data as Float16Array) : data) as Float32Array,
        shape,
      ),
    ]),
  )
  const results = await session.run(feeds)
  return Object.fromEntries(
    Object.entries(results).map(([name, { type, dims, data }]) => [
      name,
      { type: type as ElementType, shape: [...dims], data: data as NumericArray | string[] } satisfies Tensor,
    ]),
  )
}

const asBits = (data: Float16Array) => arrayOfBytes('uint16', bytesOfArray(data as NumericArray))
