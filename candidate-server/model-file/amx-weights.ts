import type { Bytes } from '../../vocabulary/units.ts'

/** Where they lie in a model's file, one byte each. */
interface Place {
  from: Bytes
  to: Bytes
}

/** Of one convolution with signed 8-bit weights. */
export interface Int8Weights {
  weights: Place
  /** Channels that it computes: its weights are those of one after another. */
  outputs: number
  /** `varintsAt`: the tag of their field, where they are varints; zeros are one byte each all the same. */
  zeroPoints: Place & { varintsAt?: Bytes }
}

/** Of `raw_data` in onnx.proto3, whose values are bytes: what was `int32_data` is as long. */
const rawDataTag = (9 << 3) | 2

/**
 * Products that are summed for one output. With fewer a matrix product is slower, since what it takes is the time for
 * outputs and not for products; with more it is faster: docs/DECISIONS.md has the figures.
 */
const productsMin = 256

/**
 * ONNX Runtime (1.30) computes convolutions whose weights have the zero point 0 with kernels of their own, which know VNNI
 * and not AMX; all others as matrix products, for which it has AMX. A weight w with the zero point 0 and one of w − 1 with
 * the zero point −1 are the same number, so that every answer stays the same to the bit. Writes that form into `model`,
 * wherever it can be written and is likely to be faster, and gives back of how many convolutions.
 */
export function writeWeightsForAmx(model: Uint8Array, convolutions: readonly Int8Weights[]): number {
  let written = 0
  for (const convolution of convolutions) {
    const [weights, zeroPoints] = [convolution.weights, convolution.zeroPoints].map(
      ({ from, to }) => new Int8Array(model.buffer, model.byteOffset + from, to - from),
    ) as [Int8Array, Int8Array]
    const products = weights.length / convolution.outputs
    if (products < productsMin || zeroPoints.some((point) => point !== 0) || weights.includes(-128)) continue
    for (let i = 0; i < weights.length; i++) weights[i]! -= 1
    zeroPoints.fill(-1)
    const { varintsAt } = convolution.zeroPoints
    if (varintsAt !== undefined) model[varintsAt] = rawDataTag
    written++
  }
  return written
}
