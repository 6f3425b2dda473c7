import type { interpolations } from '../../config/adapter-options.ts'

export type Interpolation = (typeof interpolations)[number]

/** Row-major pixels with interleaved channels. */
export interface Pixels {
  data: Uint8Array
  height: number
  width: number
  channels: number
}

interface Filter {
  support: number
  weight: (x: number) => number
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x))
const filters: Record<Interpolation, Filter> = {
  bilinear: { support: 1, weight: (x) => Math.max(0, 1 - Math.abs(x)) },
  // Keys (1981) with a = −1/2
  bicubic: {
    support: 2,
    weight: (signed) => {
      const x = Math.abs(signed)
      if (x < 1) return (1.5 * x - 2.5) * x * x + 1
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    },
  },
  lanczos: { support: 3, weight: (x) => (Math.abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0) },
}

/** The precision to which Pillow rounds its weights. */
const precisionBits = 22

/**
 * Pillow's `Image.resize`, byte for byte: the same filter, widened when an image shrinks, first along rows and then
 * along columns, in fixed point. sharp is not used to enlarge, because it shifts the result by half a source pixel.
 */
export function resample(source: Pixels, height: number, width: number, interpolation: Interpolation): Pixels {
  const rows = resampleRows(source, width, filters[interpolation])
  return resampleColumns(rows, height, filters[interpolation])
}

interface Taps {
  from: number
  weights: Int32Array
}

/** For each output position: where its source pixels begin, and their weights. */
function tapsOf(sourceSize: number, size: number, { support, weight }: Filter): Taps[] {
  const scale = sourceSize / size
  const widened = Math.max(1, scale)
  const reach = support * widened
  return Array.from({ length: size }, (_, i) => {
    const centre = (i + 0.5) * scale
    const from = Math.max(0, Math.trunc(centre - reach + 0.5))
    const to = Math.min(sourceSize, Math.trunc(centre + reach + 0.5))
    const exact = Array.from({ length: to - from }, (_, k) => weight((from + k - centre + 0.5) / widened))
    const sum = exact.reduce((total, value) => total + value, 0)
    const weights = Int32Array.from(exact, (value) => {
      const fixed = (value / sum) * 2 ** precisionBits
      return Math.trunc(fixed + (fixed < 0 ? -0.5 : 0.5))
    })
    return { from, weights }
  })
}

function resampleRows({ data, height, width: sourceWidth, channels }: Pixels, width: number, filter: Filter): Pixels {
  if (width === sourceWidth) return { data, height, width, channels }
  const taps = tapsOf(sourceWidth, width, filter)
  const result = new Uint8Array(height * width * channels)
  let at = 0
  for (let y = 0; y < height; y++) {
    const row = y * sourceWidth * channels
    for (const { from, weights } of taps) {
      for (let channel = 0; channel < channels; channel++) {
        let place = row + from * channels + channel
        let sum = 1 << (precisionBits - 1)
        for (let k = 0; k < weights.length; k++, place += channels) sum += data[place]! * weights[k]!
        result[at++] = clip(sum)
      }
    }
  }
  return { data: result, height, width, channels }
}

function resampleColumns(
  { data, height: sourceHeight, width, channels }: Pixels,
  height: number,
  filter: Filter,
): Pixels {
  if (height === sourceHeight) return { data, height, width, channels }
  const step = width * channels
  const result = new Uint8Array(height * step)
  for (const [y, { from, weights }] of tapsOf(sourceHeight, height, filter).entries()) {
    for (let x = 0; x < step; x++) {
      let place = from * step + x
      let sum = 1 << (precisionBits - 1)
      for (let k = 0; k < weights.length; k++, place += step) sum += data[place]! * weights[k]!
      result[y * step + x] = clip(sum)
    }
  }
  return { data: result, height, width, channels }
}

const clip = (sum: number) => Math.min(255, Math.max(0, Math.floor(sum / 2 ** precisionBits)))
