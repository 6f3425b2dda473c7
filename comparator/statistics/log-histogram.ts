/**
 * Logarithmic bins as in DDSketch (Masson, Rim, Lee 2019): a bin's value is within 0.5 % of every value in it, and
 * histograms merge by adding counts. Bins are integers in the order of their values: negative, 0, positive.
 */
export const relativeError = 0.005
const gamma = (1 + relativeError) / (1 - relativeError)
const logGamma = Math.log(gamma)
/** Smaller magnitudes count as zero. */
export const zeroBelow = 1e-9
/** Makes the smallest positive value's bin 1. */
const offset = 1 - Math.ceil(Math.log(zeroBelow) / logGamma)

/** The bin of a finite number; |bin| < 2¹⁷. */
export function binOf(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude < zeroBelow) return 0
  const bin = Math.ceil(Math.log(magnitude) / logGamma) + offset
  return value < 0 ? -bin : bin
}

/** The upper edge of a positive bin, which is the lower edge of the next. */
export function upperEdgeOf(bin: number): number {
  return Math.exp((bin - offset) * logGamma)
}

/** The value that represents a bin, within 0.5 % of every value in it. */
export function valueOfBin(bin: number): number {
  return bin < 0 ? -valueOfPositive(-bin) : bin === 0 ? 0 : valueOfPositive(bin)
}

/** A cache (0: not computed yet), as a jackknife needs the values of the same bins dozens of times. */
const valuesOfPositive = new Float64Array(2 ** 17)

function valueOfPositive(bin: number): number {
  const known = valuesOfPositive[bin]!
  if (known !== 0) return known
  const value = Math.min(Number.MAX_VALUE, (2 * upperEdgeOf(bin)) / (gamma + 1))
  valuesOfPositive[bin] = value
  return value
}
