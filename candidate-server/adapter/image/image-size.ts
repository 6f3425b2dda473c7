import type { ImageOptions } from '../../config/adapter-options.ts'
import { badInput } from '../../errors.ts'
import { bytesPerElement } from '../../tensor/tensor.ts'
import type { ImageLayout } from './image-layout.ts'

export interface Size {
  height: number
  width: number
}

/** How one image is transformed: first resized, then cropped. */
export interface SizePlan {
  resized: Size
  crop: Size & { top: number; left: number }
}

/** Limit for one image's tensor, for models that take any size. */
const tensorBytesMax = 64 * 1024 * 1024

export type PlanSize = (source: Size) => SizePlan

/**
 * Without `resize` and `crop`, an image is stretched to the model's size; if one side is free it keeps the aspect
 * ratio, and if both are free the image keeps its size. Otherwise works as torchvision's `Resize` and `CenterCrop`.
 * Throws if the options contradict the model; the returned function throws a 400.
 */
export function sizePlanner(model: string, layout: ImageLayout, options: ImageOptions, pixelsMax: number): PlanSize {
  const cut = sidesOf(options.crop)
  const height = fixed(layout.height) ?? cut?.height
  const width = fixed(layout.width) ?? cut?.width
  if (cut && (cut.height !== height || cut.width !== width)) {
    throw new Error(
      `model ${model}: image.crop is ${cut.height} × ${cut.width}, and the model takes ${sideText(layout.height)} × ${sideText(layout.width)}`,
    )
  }
  checkResize(model, options.resize, { height, width })
  return (source) => {
    const resized = resizedSize(source, options, { height, width })
    const area = resized.height * resized.width
    if (area > pixelsMax) {
      throw badInput(
        `the image is ${text(source)} and would be resized to ${text(resized)}, over limits.imagePixelsMax, ${pixelsMax} pixels`,
      )
    }
    const crop = { height: height ?? resized.height, width: width ?? resized.width }
    if (crop.height > resized.height || crop.width > resized.width) {
      throw badInput(
        `the image is ${text(resized)}${options.resize ? ' once resized' : ''}; expected at least ${text(crop)}`,
      )
    }
    const bytes = crop.height * crop.width * layout.channels * bytesPerElement(layout.input.type)
    if (bytes > tensorBytesMax) {
      throw badInput(`the image of ${text(crop)} makes ${bytes} bytes of input; expected at most ${tensorBytesMax}`)
    }
    const top = roundHalfEven((resized.height - crop.height) / 2)
    const left = roundHalfEven((resized.width - crop.width) / 2)
    return { resized, crop: { ...crop, top, left } }
  }
}

function checkResize(model: string, resize: ImageOptions['resize'], target: Partial<Size>): void {
  const sides = sidesOf(resize)
  if (!sides) return
  const small = [(target.height ?? 0) > sides.height, (target.width ?? 0) > sides.width]
  // if only the shorter side is set, the longer one may still be large enough
  if (typeof resize === 'number' ? small.every(Boolean) : small.some(Boolean)) {
    throw new Error(
      `model ${model}: image.resize gives ${text(sides)}, which is smaller than the ${sideText(target.height)} × ${sideText(target.width)} to be cut from it`,
    )
  }
}

function resizedSize(
  source: Size,
  { resize, crop }: ImageOptions,
  target: { [Side in keyof Size]: number | undefined },
): Size {
  if (typeof resize === 'number') {
    const long = (a: number, b: number) => Math.floor((resize * a) / b)
    return source.width <= source.height
      ? { width: resize, height: long(source.height, source.width) }
      : { height: resize, width: long(source.width, source.height) }
  }
  if (resize) return sidesOf(resize)!
  if (crop) return source
  const { height, width } = target
  const factor = height !== undefined ? height / source.height : width !== undefined ? width / source.width : 1
  const scaled = (side: number) => Math.max(1, Math.round(side * factor))
  return { height: height ?? scaled(source.height), width: width ?? scaled(source.width) }
}

const sidesOf = (sides: ImageOptions['resize']): Size | undefined =>
  sides === undefined
    ? undefined
    : typeof sides === 'number'
      ? { height: sides, width: sides }
      : { height: sides[0], width: sides[1] }

const fixed = (side: number) => (side === -1 ? undefined : side)
const sideText = (side: number | undefined) => (side === undefined || side === -1 ? 'any' : side)
const text = ({ height, width }: Size) => `${width} wide and ${height} high`

/** Like Python's `round`, which torchvision uses to place its crop. */
function roundHalfEven(value: number): number {
  const below = Math.floor(value)
  if (value - below !== 0.5) return Math.round(value)
  return below % 2 === 0 ? below : below + 1
}
