import { sliceRows, type Tensors } from '../model/tensor.ts'

const toleranceMax = 1e-3

/** Whether two runs answered their first rows alike. */
export const isFirstRowSame = (some: Tensors, others: Tensors): boolean =>
  Object.entries(some).every(([name, tensor]) => {
    const [a, b] = [tensor, others[name]!].map((one) => sliceRows(one, 0, 1).data as ArrayLike<unknown>)
    return a!.length === b!.length && Array.prototype.every.call(a, (value, i) => isSame(value, b![i]))
  })

const isSame = (a: unknown, b: unknown) =>
  Object.is(a, b) ||
  (typeof a === 'number' &&
    typeof b === 'number' &&
    Math.abs(a - b) <= toleranceMax * Math.max(Math.abs(a), Math.abs(b)))
