import { elementTypes, sliceRows, type Tensor, type Tensors } from '../model/tensor.ts'

/** Kernels may add in another order; a neighbour that counts changes an answer by more. */
const toleranceMax = 1e-3

/** Whether two runs answered one of their rows alike. */
export const isRowSame = (some: Tensors, others: Tensors, row: number): boolean =>
  Object.entries(some).every(([name, tensor]) => {
    const [a, b] = [valuesOf(tensor, row), valuesOf(others[name]!, row)]
    return a.length === b.length && Array.prototype.every.call(a, (value, i) => isSame(value, b[i]))
  })

function valuesOf(tensor: Tensor, row: number): ArrayLike<unknown> {
  const { type, data } = sliceRows(tensor, row, row + 1)
  // the runtime gives them as their bits
  if (type !== 'float16' || !(data instanceof Uint16Array)) return data as ArrayLike<unknown>
  return new elementTypes.float16.array(data.buffer as ArrayBuffer, data.byteOffset, data.length)
}

const isSame = (a: unknown, b: unknown) =>
  Object.is(a, b) ||
  (typeof a === 'number' &&
    typeof b === 'number' &&
    Math.abs(a - b) <= toleranceMax * Math.max(Math.abs(a), Math.abs(b)))
