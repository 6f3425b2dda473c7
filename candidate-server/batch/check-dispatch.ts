import type { ModelConfig } from '../config/model.ts'
import type { ModelInfo } from '../tensor/model-info.ts'

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
