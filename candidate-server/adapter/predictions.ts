import { toJsonElements } from '../tensor/json-tensor.ts'
import { nest } from '../tensor/nested-array.ts'
import type { Tensor, Tensors } from '../tensor/tensor.ts'
import { type AdapterModel, hasBatchDimension } from './adapter.ts'

/**
 * `{"predictions": …}`: the only output's array for a single input, or an object by output name. With `labels`, adds
 * the label of the highest score in the first output that has one score per label.
 */
export function predictionsOf(outputs: Tensors, model: AdapterModel): { predictions: unknown; label?: string } {
  const values = model.outputs.map(
    ({ name, shape, isList }) => [name, rowOf(outputs[name]!, !isList && hasBatchDimension(shape, model))] as const,
  )
  const predictions = values.length === 1 ? values[0]![1] : Object.fromEntries(values)
  const label = labelOf(
    values.map(([, value]) => value),
    model.labels,
  )
  return label === undefined ? { predictions } : { predictions, label }
}

function rowOf(tensor: Tensor, batched: boolean): unknown {
  const elements = toJsonElements(tensor)
  return nest(elements, batched && tensor.shape[0] === 1 ? tensor.shape.slice(1) : tensor.shape)
}

function labelOf(values: readonly unknown[], labels: readonly string[] | undefined): string | undefined {
  if (!labels) return undefined
  const scores = values.find(
    (value): value is number[] =>
      Array.isArray(value) &&
      value.length === labels.length &&
      value.every((score) => typeof score === 'number' && !Number.isNaN(score)),
  )
  return scores && labels[scores.reduce((best, score, i) => (score > scores[best]! ? i : best), 0)]
}
