import { elementTypes, sliceRows, type Tensor, type Tensors } from '../model/tensor.ts'

/** Kernels may add in a different order; a real influence of neighbours changes an answer by more than this. */
const toleranceMax = 1e-3

/** Whether two runs gave the same answer for one row. */
export const isRowSame = (some: Tensors, others: Tensors, row: number): boolean =>
  Object.entries(some).every(([name, tensor]) => {
    const [a, b] = [valuesOf(tensor, row), valuesOf(others[name]!, row)]
    return a.length === b.length && Array.prototype.every.call(a, (value, i) => isSame(value, b[i]))
  })

function valuesOf(tensor: Tensor, row: number): ArrayLike<unknown> {
  const { type, data } = sliceRows(tensor, row, row + 1)
  // the runtime returns float16 as raw bits
  if (type !== 'float16' || !(data instanceof Uint16Array)) return data as ArrayLike<unknown>
  return new elementTypes.float16.array(data.buffer as ArrayBuffer, data.byteOffset, data.length)
}

const isSame = (a: unknown, b: unknown) =>
  Object.is(a, b) ||
  (typeof a === 'number' &&
    typeof b === 'number' &&
    Math.abs(a - b) <= toleranceMax * Math.max(Math.abs(a), Math.abs(b)))
