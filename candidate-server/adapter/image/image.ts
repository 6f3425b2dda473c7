import { availableParallelism } from 'node:os'
import type { ImageOptions } from '../../config/adapter-options.ts'
import type { AdapterModel } from '../adapter.ts'
import type { WorkerAdapter } from '../worker-adapter.ts'
import { decodeImage } from './decode-image.ts'
import { imageFileOf } from './image-file.ts'
import { layoutOf } from './image-layout.ts'
import { sizePlanner } from './image-size.ts'
import { byteTables, imageTensor } from './image-tensor.ts'

export interface ImageSetup {
  options: ImageOptions
  pixelsMax: number
}

/** libuv's pool has four threads, and every image being decoded holds its pixels in memory. */
const decodesAtOnce = Math.min(4, availableParallelism())

/**
 * Decodes an image file, resizes and crops it, and computes (byte × scale − mean) / std per channel in the model's
 * layout and type. Throws if the model's input is not an image or the options do not suit it.
 */
export function createImageAdapter(model: AdapterModel, { options, pixelsMax }: ImageSetup): WorkerAdapter {
  const layout = layoutOf(model, options)
  const form = { ...layout, tables: byteTables(model.name, layout, options), colours: options.colours }
  const decodeOptions = {
    channels: layout.channels,
    planSize: sizePlanner(model.name, layout, options, pixelsMax),
    interpolation: options.interpolation ?? 'bilinear',
    exifOrientation: options.exifOrientation ?? false,
    pixelsMax,
  } as const
  return {
    atOnce: decodesAtOnce,
    async toTensors(request) {
      const { pixels, crop } = await decodeImage(await imageFileOf(request), decodeOptions)
      return { [layout.input.name]: imageTensor(pixels, crop, form) }
    },
  }
}
