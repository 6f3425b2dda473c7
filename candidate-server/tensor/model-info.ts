import type { ElementType, TensorHeads } from './tensor.ts'

/** One input or output; a dimension of -1 is dynamic. */
export interface TensorInfo {
  name: string
  type: ElementType
  shape: number[]
  /** The file's names for the dimensions, in order; empty for a fixed or unnamed one. */
  dimensionNames?: string[]
  /** The output has as many entries as the model finds, such as the objects in an image, and not one per row. */
  isList?: true
}

/** How the first dimension behaves: dynamic, of a fixed size, or not a batch at all. */
export type BatchDimension = { kind: 'dynamic' } | { kind: 'fixed'; size: number } | { kind: 'none' }

export interface ModelInfo {
  inputs: TensorInfo[]
  outputs: TensorInfo[]
  batch: BatchDimension
}

/** All inputs and outputs must agree on the first dimension, or one request's rows could not be told from another's. */
export function batchDimensionOf(inputs: TensorInfo[], outputs: TensorInfo[]): BatchDimension {
  const firsts = [...inputs, ...outputs].map(({ shape }) => shape[0])
  const [first] = firsts
  if (inputs.length === 0 || first === undefined || firsts.some((size) => size !== first)) return { kind: 'none' }
  if (first === -1) return { kind: 'dynamic' }
  return first > 0 ? { kind: 'fixed', size: first } : { kind: 'none' }
}

export const fitsShape = (actual: readonly number[], expected: readonly number[]) =>
  actual.length === expected.length && expected.every((size, i) => size === -1 || size === actual[i])

export const formatShape = (shape: readonly number[]) =>
  `[${shape.map((size) => (size === -1 ? 'any' : size)).join(', ')}]`

/** The number of rows in a request: the first dimension that all inputs share; `undefined` if they differ. */
export function rowsOf(inputs: TensorHeads): number | undefined {
  const sizes = Object.values(inputs).map(({ shape }) => shape[0])
  return sizes.every((size) => size === sizes[0]) ? sizes[0] : undefined
}
