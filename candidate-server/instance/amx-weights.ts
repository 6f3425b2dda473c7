import type { Bytes } from '../../vocabulary/units.ts'

/** Where they lie in a model's file, one byte each. */
interface Place {
  from: Bytes
  to: Bytes
}

/** Of one convolution with signed 8-bit weights. */
export interface Int8Weights {
  weights: Place
  /** `varintsAt`: the tag of their field, where they are varints; zeros are one byte each all the same. */
  zeroPoints: Place & { varintsAt?: Bytes }
}

/** Of `raw_data` in onnx.proto3, whose values are bytes: what was `int32_data` is as long. */
const rawDataTag = (9 << 3) | 2

/** Below it most are slower as a matrix product, above it most are faster: docs/DECISIONS.md has the figures. */
const weightBytesMin: Bytes = 36 * 1024

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
    if (weights.length < weightBytesMin || zeroPoints.some((point) => point !== 0) || weights.includes(-128)) continue
    for (let i = 0; i < weights.length; i++) weights[i]! -= 1
    zeroPoints.fill(-1)
    const { varintsAt } = convolution.zeroPoints
    if (varintsAt !== undefined) model[varintsAt] = rawDataTag
    written++
  }
  return written
}
