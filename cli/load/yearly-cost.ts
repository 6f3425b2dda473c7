const hoursPerYear = 24 * 365

/** price/hour × 24 × 365 × units, in the price's currency. */
export const yearlyCost = (pricePerHour: number, units: number) => inCents(pricePerHour * hoursPerYear * units)

/** To two decimals, so that a sum is that of the figures shown. */
export const inCents = (value: number) => Number(value.toFixed(2))

interface PodsQuestion {
  /** Requests per second that the pods must serve together. */
  rate: number
  /** Requests per second that one pod serves within the latency limit. */
  capacity: number
  /** Share of a pod's capacity kept free for bursts, restarts and lost pods. */
  headroom: number
}

/** Rounded up, except for binary rounding errors. */
export const podsFor = ({ rate, capacity, headroom }: PodsQuestion) =>
  Math.ceil(Number((rate / (capacity * (1 - headroom))).toPrecision(12)))

/** Machines that are no longer needed, such as 15 GPUs at 1.306 an hour. */
export interface Replaced {
  units: number
  pricePerHour: number
}

/** Parses `15@1.306`. Throws a `RangeError` on anything else. */
export function parseReplaced(text: string): Replaced {
  const match = /^(\d+)@(\d+(?:\.\d+)?)$/.exec(text)
  if (!match) throw new RangeError('expected UNITS@PRICE-PER-HOUR, such as 15@1.306')
  return { units: Number(match[1]), pricePerHour: Number(match[2]) }
}
