import { shortestFloat32 } from '../tensor/json-number.ts'
import { elementCount, type NumericArray, type Tensor } from '../tensor/tensor.ts'

/**
 * The classification extension: the `classes` highest elements of every row in descending order, as
 * `score:index[:label]`. Equal scores are ordered by index, and NaN comes last. The shape is [rows, classes], or
 * [classes] for an output without rows.
 */
export function classify(tensor: Tensor, classes: number, labels: readonly string[] | undefined, batched: boolean) {
  const scores = tensor.data as NumericArray
  const rows = batched ? tensor.shape[0]! : 1
  const size = batched ? elementCount(tensor.shape.slice(1)) : scores.length
  const count = Math.min(classes, size)
  const data: string[] = []
  for (let row = 0; row < rows; row++) {
    const own = scores.subarray(row * size, (row + 1) * size)
    for (const index of highest(own, count)) {
      const label = labels?.length === size ? `:${labels[index]}` : ''
      data.push(`${format(own[index]!, tensor.type)}:${index}${label}`)
    }
  }
  return { type: 'string' as const, shape: batched ? [rows, count] : [count], data }
}

function highest(scores: NumericArray, count: number): number[] {
  const rank = (index: number) => (Number.isNaN(scores[index]) ? Number.NEGATIVE_INFINITY : scores[index]!)
  const order = (a: number, b: number) => (rank(a) === rank(b) ? a - b : rank(b) > rank(a) ? 1 : -1)
  return [...scores.keys()].sort(order).slice(0, count)
}

const format = (score: number | bigint, type: Tensor['type']) =>
  String(type === 'float32' ? shortestFloat32(score as number) : score)
