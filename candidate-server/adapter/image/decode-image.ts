import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp'
import { badInput } from '../../errors.ts'
import type { Channels } from './image-layout.ts'
import type { PlanSize, Size, SizePlan } from './image-size.ts'
import { opaqueGif } from './opaque-gif.ts'
import { type Interpolation, type Pixels, resample } from './resample.ts'
import { isUncompressedYcc } from './uncompressed-ycc.ts'

// requests already run in parallel, and images rarely repeat
sharp.concurrency(1)
sharp.cache(false)

interface DecodeOptions {
  channels: Channels
  planSize: PlanSize
  interpolation: Interpolation
  exifOrientation: boolean
  pixelsMax: number
}

interface Decoded {
  pixels: Pixels
  crop: SizePlan['crop']
}

const kernels = { bilinear: 'linear', bicubic: 'cubic', lanczos: 'lanczos3' } as const
const secondsMax = 30
/** Larger images can grow along one side only, and resampling their other side as Pillow does would take too long. */
const enlargedPixelsMax = 4_000_000

/**
 * Decodes the file's first frame to 8 bits and resizes it; cropping comes later. Alpha is dropped before resampling and
 * colour profiles are ignored, both as Pillow's `convert('RGB')` does. Throws a 400.
 */
export async function decodeImage(file: Buffer, options: DecodeOptions): Promise<Decoded> {
  const bytes = options.channels === 4 ? file : opaqueGif(file)
  if (!isKnownFormat(bytes)) {
    throw badInput(`expected a PNG, JPEG, WebP, GIF or TIFF file, got ${bytes.length} bytes of something else`)
  }
  if (isTiff(bytes) && isUncompressedYcc(bytes)) {
    throw badInput('the image is a TIFF file in YCbCr without JPEG compression, which is not supported; save it as RGB')
  }
  // Pillow turns a TIFF file when it opens it, and others only when it is asked to
  const isUpright = options.exifOrientation || isTiff(bytes)
  const input: SharpOptions = {
    limitInputPixels: options.pixelsMax,
    failOn: 'error',
    ignoreIcc: true,
    autoOrient: isUpright,
    sequentialRead: true,
  }
  // reads the header alone, which may claim anything
  const metadata = await decoding(sharp(bytes, { ...input, limitInputPixels: false }).metadata())
  const size = sizeOf(metadata, isUpright)
  if (size.height * size.width > options.pixelsMax) {
    throw badInput(
      `the image is ${size.width} wide and ${size.height} high, over limits.imagePixelsMax, ${options.pixelsMax} pixels`,
    )
  }
  const { resized, crop } = options.planSize(size)
  return { pixels: await decoding(readPixels(sharp(bytes, input), metadata, { size, resized }, options)), crop }
}

async function readPixels(
  file: Sharp,
  { hasAlpha, space }: Metadata,
  { size, resized }: { size: Size; resized: Size },
  { channels, interpolation }: DecodeOptions,
): Promise<Pixels> {
  const isGrey = space === 'b-w' || space === 'grey16'
  const grows = resized.height > size.height || resized.width > size.width
  const enlarges = grows && size.height * size.width <= enlargedPixelsMax
  const asItIs = space !== 'cmyk' && (channels === 4 || (!hasAlpha && (channels === 3 || isGrey)))
  if (asItIs && !enlarges) return readRaw(resize(file, resized, interpolation), channels, isGrey)
  const whole = space === 'cmyk' ? await readInks(file, channels) : await readRaw(file, channels, isGrey)
  if (enlarges) {
    const larger = (pixels: Pixels) => resample(pixels, resized.height, resized.width, interpolation)
    return channels === 4 ? withoutAlpha(larger(withAlpha(whole))) : larger(whole)
  }
  const { data, ...raw } = whole
  const again = sharp(data, { raw: { ...raw, channels }, limitInputPixels: false })
  return readRaw(resize(again, resized, interpolation), channels, channels === 1)
}

function resize(image: Sharp, { height, width }: Size, interpolation: Interpolation): Sharp {
  // decoding a JPEG at reduced size is 20 % faster but doubles the difference from Pillow's result
  return image.resize({ height, width, fit: 'fill', kernel: kernels[interpolation], fastShrinkOnLoad: false })
}

async function readRaw(image: Sharp, channels: Channels, isGrey: boolean): Promise<Pixels> {
  const shown = channels === 4 ? image.ensureAlpha() : image.removeAlpha()
  const pixels = await toPixels(shown.toColourspace(channels === 1 && isGrey ? 'b-w' : 'srgb'))
  return channels === 1 && pixels.channels > 1 ? { ...pixels, data: lumaOf(pixels), channels } : pixels
}

/** Raw CMYK channels, which Pillow converts to RGB without a profile. */
async function readInks(image: Sharp, channels: Channels): Promise<Pixels> {
  const inks = await toPixels(image.pipelineColourspace('cmyk').toColourspace('cmyk'))
  const colours = { ...inks, data: coloursOf(inks), channels: 3 }
  if (channels === 3) return colours
  if (channels === 1) return { ...inks, data: lumaOf(colours), channels }
  return readRaw(sharp(colours.data, { raw: { ...inks, channels: 3 }, limitInputPixels: false }), channels, false)
}

async function toPixels(image: Sharp): Promise<Pixels> {
  const raw = image.timeout({ seconds: secondsMax }).raw({ depth: 'uchar' })
  const { data, info } = await raw.toBuffer({ resolveWithObject: true })
  return { data, height: info.height, width: info.width, channels: info.channels }
}

function coloursOf({ data, channels }: Pixels): Uint8Array {
  const colours = new Uint8Array((data.length / channels) * 3)
  for (let ink = 0, at = 0; at < colours.length; ink += channels) {
    const light = 255 - data[ink + 3]!
    for (let i = 0; i < 3; i++) {
      const product = data[ink + i]! * light + 128
      colours[at++] = Math.max(0, light - (((product >> 8) + product) >> 8))
    }
  }
  return colours
}

/** ITU-R 601-2 luma in Pillow's own fixed point (`convert('L')`); sharp's `grayscale` works in linear light. */
function lumaOf({ data, channels }: Pixels): Uint8Array {
  const luma = new Uint8Array(data.length / channels)
  for (let pixel = 0, at = 0; pixel < luma.length; pixel++, at += channels) {
    luma[pixel] = (data[at]! * 19595 + data[at + 1]! * 38470 + data[at + 2]! * 7471 + 0x8000) >> 16
  }
  return luma
}

/** Colours multiplied by their alpha, as Pillow resizes RGBA, so that a transparent pixel's colour does not spread. */
function withAlpha(pixels: Pixels): Pixels {
  const data = Uint8Array.from(pixels.data)
  for (let at = 0; at < data.length; at += 4) {
    for (let i = at; i < at + 3; i++) {
      const product = data[i]! * data[at + 3]! + 128
      data[i] = ((product >> 8) + product) >> 8
    }
  }
  return { ...pixels, data }
}

function withoutAlpha(pixels: Pixels): Pixels {
  const data = Uint8Array.from(pixels.data)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!
    if (alpha === 0 || alpha === 255) continue
    for (let i = at; i < at + 3; i++) data[i] = Math.min(255, Math.trunc((255 * data[i]!) / alpha))
  }
  return { ...pixels, data }
}

function sizeOf({ width, height, autoOrient }: Metadata, isUpright: boolean): Size {
  return isUpright ? { width: autoOrient.width, height: autoOrient.height } : { width, height }
}

async function decoding<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    const [reason] = (error as Error).message.split('\n', 1)
    throw badInput(`the image cannot be decoded: ${reason}`)
  }
}

/** Accepts only formats identified by their first bytes: the decoder supports others that read files or never end. */
function isKnownFormat(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 4)
  return (
    start === '\x89PNG' ||
    start.startsWith('\xff\xd8\xff') ||
    start === 'GIF8' ||
    isTiff(bytes) ||
    (start === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP')
  )
}

function isTiff(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, 4)
  return start === 'II*\0' || start === 'MM\0*'
}
