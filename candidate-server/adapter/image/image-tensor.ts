import type { ImageOptions } from '../../config/adapter-options.ts'
import { elementTypes, type NumericArray, type NumericType, type Tensor } from '../../tensor/tensor.ts'
import type { ImageLayout } from './image-layout.ts'
import type { SizePlan } from './image-size.ts'
import type { Pixels } from './resample.ts'

/** One table per channel of the model, mapping each of the 256 byte values to its normalised value. */
type ByteTables = NumericArray[]

/** (byte × scale − mean) / std. Throws if the model's type cannot hold the result. */
export function byteTables(
  model: string,
  { input: { type, name }, channels }: ImageLayout,
  options: ImageOptions,
): ByteTables {
  for (const key of ['mean', 'std'] as const) {
    const values = options[key]
    if (values && values.length !== channels) {
      throw new Error(`model ${model}: image.${key} has ${values.length} values and the model ${channels} channels`)
    }
  }
  const isFloat = type.startsWith('float')
  const scale = options.scale ?? (isFloat ? 1 / 255 : 1)
  return Array.from({ length: channels }, (_, channel) => {
    const table = new elementTypes[type].array(256)
    for (let byte = 0; byte < 256; byte++) {
      const value = (byte * scale - (options.mean?.[channel] ?? 0)) / (options.std?.[channel] ?? 1)
      if (!hold(table, byte, isFloat ? value : Math.round(value), type)) {
        throw new Error(
          `model ${model}: image.scale, mean and std make ${value} of the byte ${byte}, which ${name} of ${type} cannot hold`,
        )
      }
    }
    return table
  })
}

function hold(table: NumericArray, at: number, value: number, type: NumericType): boolean {
  if (!Number.isFinite(value)) return false
  const isBig = type === 'int64' || type === 'uint64'
  table[at] = isBig ? BigInt(value) : value
  return type.startsWith('float') ? Number.isFinite(table[at]) : Number(table[at]) === value
}

interface ImageForm extends ImageLayout {
  tables: ByteTables
  colours: ImageOptions['colours']
}

/** The cropped part as one row of the model's input. */
export function imageTensor(
  pixels: Pixels,
  { top, left, height, width }: SizePlan['crop'],
  { input: { type }, order, channels, tables, colours }: ImageForm,
): Tensor {
  const area = height * width
  const values = new elementTypes[type].array(area * channels)
  for (let channel = 0; channel < channels; channel++) {
    const table = tables[channel]!
    const source = colours === 'bgr' && channels > 1 && channel < 3 ? 2 - channel : channel
    const step = order === 'NHWC' ? channels : 1
    let at = order === 'NHWC' ? channel : channel * area
    for (let y = 0; y < height; y++) {
      let place = ((top + y) * pixels.width + left) * channels + source
      for (let x = 0; x < width; x++, place += channels, at += step) values[at] = table[pixels.data[place]!]!
    }
  }
  const shape =
    order === 'NCHW'
      ? [1, channels, height, width]
      : order === 'NHWC'
        ? [1, height, width, channels]
        : [1, height, width]
  return { type, shape, data: values }
}
