/**
 * Logarithmic bins as in DDSketch (Masson, Rim, Lee 2019): the value of a bin is within 0.5 % of all that it holds, and
 * histograms merge by adding counts. Bins are integers in the order of their values: negative, 0, positive.
 */
export const relativeError = 0.005
const gamma = (1 + relativeError) / (1 - relativeError)
const logGamma = Math.log(gamma)
/** Nearer to zero is zero. */
const zeroBelow = 1e-9
/** Makes the smallest positive value's bin 1. */
const offset = 1 - Math.ceil(Math.log(zeroBelow) / logGamma)

/** The bin of a finite number; |bin| < 2¹⁷. */
export function binOf(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude < zeroBelow) return 0
  const bin = Math.ceil(Math.log(magnitude) / logGamma) + offset
  return value < 0 ? -bin : bin
}

/** The greatest value of a positive bin, and so the least of the next. */
export function upperEdgeOf(bin: number): number {
  return Math.exp((bin - offset) * logGamma)
}

/** The value that stands for a bin: within 0.5 % of everything in it. */
export function valueOfBin(bin: number): number {
  if (bin === 0) return 0
  const upper = upperEdgeOf(Math.abs(bin))
  return Math.sign(bin) * Math.min(Number.MAX_VALUE, (2 * upper) / (gamma + 1))
}
