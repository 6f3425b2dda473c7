import type { ImageOptions } from '../../config/adapter-options.ts'
import { formatShape, type TensorInfo } from '../../tensor/model-info.ts'
import type { NumericType } from '../../tensor/tensor.ts'
import { type AdapterModel, hasBatchDimension } from '../adapter.ts'

export type Channels = 1 | 3 | 4

/** Positions of height, width and channels in the input's shape. A side of -1 may have any length. */
export interface ImageLayout {
  input: TensorInfo & { type: NumericType }
  order: 'NCHW' | 'NHWC' | 'NHW'
  channels: Channels
  height: number
  width: number
}

/** Throws if the model's input is not an image. */
export function layoutOf(model: AdapterModel, { layout }: ImageOptions): ImageLayout {
  const { name, inputs } = model
  const [input] = inputs
  const problem = (why: string) =>
    new Error(`model ${name}: adapter image needs one input that is an image, ${why}; use adapter: tensor`)
  if (!input || inputs.length !== 1) throw problem(`and it has ${inputs.length} inputs`)
  const { type, shape } = input
  if (type === 'string' || type === 'bool') throw problem(`and ${input.name} is ${type}`)
  if (!hasBatchDimension(shape, model)) throw problem(`and ${input.name} takes batches of ${shape[0]}`)
  const [, a, b, c] = shape as [number, number, number, number]
  const typed = { ...input, type }
  if (shape.length === 3) return { input: typed, order: 'NHW', channels: 1, height: a, width: b }
  if (shape.length !== 4) throw problem(`and ${input.name} has the shape ${formatShape(shape)}`)
  const order = layout ?? (isChannels(a) ? 'nchw' : isChannels(c) ? 'nhwc' : undefined)
  if (order === undefined) {
    throw problem(
      `and ${input.name} of the shape ${formatShape(shape)} does not tell where the channels are: set image.layout`,
    )
  }
  const size = order === 'nchw' ? a : c
  const channels = size === -1 ? 3 : size
  if (!isChannels(channels)) throw problem(`with 1, 3 or 4 channels, and as ${order} ${input.name} has ${channels}`)
  return order === 'nchw'
    ? { input: typed, order: 'NCHW', channels, height: b, width: c }
    : { input: typed, order: 'NHWC', channels, height: a, width: b }
}

const isChannels = (size: number): size is Channels => size === 1 || size === 3 || size === 4
