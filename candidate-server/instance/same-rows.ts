import { elementTypes, sliceRows, type Tensor, type Tensors } from '../tensor/tensor.ts'

/** Kernels may add in a different order; a real influence of neighbours changes an answer by more than this. */
const toleranceMax = 1e-3

/** Whether two runs with the same number of rows gave the same answer for one row. */
export const isRowSame = (some: Tensors, others: Tensors, row: number): boolean =>
  areAlike({ tensors: some, row }, { tensors: others, row }, () => 0)

/**
 * The same for a row that was at another place or in a batch of another size. Different kernels may have run, so the
 * tolerance of every element is relative to the row's largest.
 */
export const isRowSameElsewhere = (some: Tensors, row: number, others: Tensors, place: number): boolean =>
  areAlike({ tensors: some, row }, { tensors: others, row: place }, largestOf)

interface Row {
  tensors: Tensors
  row: number
}

function areAlike(one: Row, other: Row, leastOf: (values: ArrayLike<number>) => number): boolean {
  return Object.entries(one.tensors).every(([name, tensor]) => {
    const [a, b] = [valuesOf(tensor, one.row), valuesOf(other.tensors[name]!, other.row)]
    if (a.length !== b.length) return false
    // of integers, texts and truth values, each stands for something else
    if (!tensor.type.startsWith('float')) return Array.prototype.every.call(a, (value, i) => value === b[i])
    const [floats, others] = [a, b] as ArrayLike<number>[]
    const least = leastOf(floats!)
    return Array.prototype.every.call(floats, (value: number, i) => isClose(value, others![i]!, least))
  })
}

function largestOf(values: ArrayLike<number>): number {
  let largest = 0
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!)
    if (size < Number.POSITIVE_INFINITY) largest = Math.max(largest, size)
  }
  return largest
}

function valuesOf(tensor: Tensor, row: number): ArrayLike<unknown> {
  const { type, data } = sliceRows(tensor, row, row + 1)
  // the runtime returns float16 as raw bits
  if (type !== 'float16' || !(data instanceof Uint16Array)) return data as ArrayLike<unknown>
  return new elementTypes.float16.array(data.buffer as ArrayBuffer, data.byteOffset, data.length)
}

/** The tolerance is relative to the larger value, or to `least` if both are smaller. */
function isClose(a: number, b: number, least: number): boolean {
  if (Object.is(a, b)) return true
  const tolerance = toleranceMax * Math.max(Math.abs(a), Math.abs(b), least)
  return Number.isFinite(tolerance) && Math.abs(a - b) <= tolerance
}
