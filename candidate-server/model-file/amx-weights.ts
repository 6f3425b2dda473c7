import type { Bytes } from '../../vocabulary/units.ts'

/** A range of bytes in the model's file, one byte per value. */
interface Place {
  from: Bytes
  to: Bytes
}

/** One convolution with signed 8-bit weights. */
export interface Int8Weights {
  weights: Place
  /** Output channels; the weights are grouped by output channel. */
  outputs: number
  /** `varintsAt`: position of the field's tag if the zero points are varints; zeros take one byte each either way. */
  zeroPoints: Place & { varintsAt?: Bytes }
}

/** Tag of `raw_data` in onnx.proto3, one byte per value: the same length as the `int32_data` it replaces. */
const rawDataTag = (9 << 3) | 2

/**
 * Products summed per output. With fewer, a matrix product is slower because its cost is dominated by the outputs; with
 * more, it is faster: see the figures in docs/DECISIONS.md.
 */
const productsMin = 256

/**
 * ONNX Runtime (1.30) computes convolutions whose weights have zero point 0 with its own kernels, which use VNNI but
 * not AMX, and all others as matrix products, which can use AMX. A weight w with zero point 0 and a weight w − 1 with
 * zero point −1 are the same number, so answers stay identical to the bit. Rewrites `model` in place wherever that is
 * possible and likely to be faster, and returns the number of convolutions rewritten.
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
