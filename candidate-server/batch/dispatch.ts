import type { DispatchConfig } from '../config/dispatch.ts'
import type { ModelConfig } from '../config/model.ts'
import { type ModelInfo, rowsOf } from '../tensor/model-info.ts'
import { elementCount, type Tensors } from '../tensor/tensor.ts'

/** Throws if the sizes that `dispatch` refers to cannot be determined for this model. */
export function checkDispatch({ name, dispatch }: ModelConfig, { inputs }: ModelInfo): void {
  if (!dispatch || dispatch.by === 'elements') return
  const input = dispatch.input === undefined ? inputs[0] : inputs.find((one) => one.name === dispatch.input)
  if (!input) {
    throw new Error(
      inputs.length === 0
        ? `model ${name}: dispatch.by is length, and it has no inputs; leave dispatch out`
        : `model ${name}: dispatch.input is ${dispatch.input}, which it has not; it has ${inputs.map((one) => one.name).join(', ')}`,
    )
  }
  if (input.shape.length < 2) {
    throw new Error(
      `model ${name}: dispatch.by is length, and ${input.name} has no second dimension; dispatch by elements`,
    )
  }
}

/** The size that decides a request's group: the length of its rows, or the number of elements in one row. */
export function sizeOf({ by, input }: Pick<DispatchConfig, 'by' | 'input'>, info: ModelInfo, inputs: Tensors): number {
  if (by === 'length') return inputs[input ?? info.inputs[0]!.name]?.shape[1] ?? 1
  const elements = Object.values(inputs).reduce((sum, { shape }) => sum + elementCount(shape), 0)
  return Math.ceil(elements / (rowsOf(inputs) ?? 1))
}

/** The first group that accepts the size; `undefined` if it is too large for the last one. */
export function groupOf(groups: readonly { upTo?: number | undefined }[], size: number): number | undefined {
  const found = groups.findIndex(({ upTo }) => upTo === undefined || size <= upTo)
  return found < 0 ? undefined : found
}

/** Other groups whose requests an idle instance of `group` may take, nearest first. */
export function helps(spillOver: DispatchConfig['spillOver'], group: number, groups: number): number[] {
  const smaller = Array.from({ length: group }, (_, i) => group - 1 - i)
  const larger = Array.from({ length: groups - group - 1 }, (_, i) => group + 1 + i)
  return spillOver === 'none' ? [] : spillOver === 'larger' ? smaller : [...smaller, ...larger]
}

/** `128` for a group that takes sizes up to 128, `rest` for one without a limit. */
export const groupName = ({ upTo }: { upTo?: number | undefined }) => (upTo === undefined ? 'rest' : String(upTo))
