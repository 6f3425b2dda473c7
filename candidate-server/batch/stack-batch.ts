import type { TensorParts } from '../instance/wire-tensors.ts'
import { emptyTensor, ownTensors, sliceRows, type Tensors } from '../tensor/tensor.ts'

interface Stackable {
  rows: number
  inputs: Tensors
}

/**
 * Lays the requests' rows one after another and pads with zeros up to `rowsToRun`; if that is `undefined`, the only
 * request runs as it is. Does not copy anything yet.
 */
export function stackBatch(batch: readonly Stackable[], rowsToRun: number | undefined): Record<string, TensorParts> {
  const [first] = batch as [Stackable]
  return Object.fromEntries(
    Object.entries(first.inputs).map(([name, { type, shape }]) => {
      const parts = batch.map(({ inputs }) => inputs[name]!.data)
      if (rowsToRun === undefined) return [name, { type, shape, parts }]
      const missing = rowsToRun - batch.reduce((sum, { rows }) => sum + rows, 0)
      if (missing > 0) parts.push(emptyTensor(type, [missing, ...shape.slice(1)]).data)
      return [name, { type, shape: [rowsToRun, ...shape.slice(1)], parts }]
    }),
  )
}

/**
 * Splits the outputs into each request's own rows and drops padding rows. Returns `undefined` if the request ran as it
 * was, or if some output does not have one row per input row.
 */
export function splitBatch(
  batch: readonly Stackable[],
  outputs: Tensors,
  rowsRun: number | undefined,
): Tensors[] | undefined {
  const all = Object.entries(outputs)
  if (rowsRun === undefined || all.some(([, { shape }]) => shape[0] !== rowsRun)) return undefined
  let from = 0
  const answers = batch.map((request) => {
    const to = from + request.rows
    const own = Object.fromEntries(all.map(([name, tensor]) => [name, sliceRows(tensor, from, to)]))
    from = to
    return own
  })
  return from < rowsRun ? answers.map(ownTensors) : answers
}
