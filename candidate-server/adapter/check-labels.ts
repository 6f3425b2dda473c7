import type { LoadedModel } from '../instance/messages.ts'
import { formatShape } from '../tensor/model-info.ts'
import type { AdapterModel } from './adapter.ts'

/**
 * Throws if no output can have one score per label in its last dimension. If the metadata leaves that open, the
 * warm-up's outputs decide; a model that could not be warmed up is trusted.
 */
export function checkLabels({ name, labels, outputs }: AdapterModel, warmUp: LoadedModel['warmUp']): void {
  if (!labels) return
  const found = outputs.map(({ name, shape }) => ({
    name,
    shape: shape.at(-1) === -1 && warmUp.kind === 'done' ? warmUp.shapes[name]! : shape,
  }))
  if (found.some(({ shape }) => shape.at(-1) === labels.length || shape.at(-1) === -1)) return
  throw new Error(
    `model ${name}: there are ${labels.length} labels and no output with ${labels.length} scores in its last dimension, but ` +
      `${found.map(({ name, shape }) => `${name} of ${formatShape(shape)}`).join(', ')}; list one label for each score`,
  )
}
