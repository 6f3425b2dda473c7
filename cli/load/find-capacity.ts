/** Requests per second. */
type Rate = number

interface CapacitySearch {
  start: Rate
  max: Rate
  stepsMax: number
  /** Ends the search early; the result of the current step is discarded. */
  signal: AbortSignal
  /**
   * The search ends when the gap between the lowest failed rate and the highest passed one is no larger than this
   * share.
   */
  precision: number
}

interface CapacityFound {
  /** The highest rate that passed; 0 if none did. */
  rate: Rate
  /** Whether it passed twice. */
  confirmed: boolean
  steps: { rate: Rate; held: boolean }[]
}

const rateMin: Rate = 0.1

/**
 * Doubles the rate until it fails, halves the gap until it is narrow, then tests the result a second time. If it fails
 * then, the first pass was luck and the search continues below it.
 */
export async function findCapacity(
  { start, max, stepsMax, precision, signal }: CapacitySearch,
  holds: (rate: Rate) => Promise<boolean>,
): Promise<CapacityFound> {
  const held = new Map<Rate, number>()
  const steps: CapacityFound['steps'] = []
  let broken = Number.POSITIVE_INFINITY
  const best = () => Math.max(0, ...held.keys())
  const next = () => {
    const rate = best()
    if (broken === Number.POSITIVE_INFINITY) return rate === 0 ? start : Math.min(rate * 2, max)
    if (rate === 0) return broken / 2
    return (broken - rate) / rate > precision ? (rate + broken) / 2 : rate
  }
  while (steps.length < stepsMax && (held.get(best()) ?? 0) < 2) {
    const rate = next()
    if (rate < rateMin) break
    const isHeld = await holds(rate)
    if (signal.aborted) break
    steps.push({ rate, held: isHeld })
    if (isHeld) held.set(rate, (held.get(rate) ?? 0) + 1)
    else {
      broken = rate
      held.delete(rate)
    }
  }
  return { rate: best(), confirmed: (held.get(best()) ?? 0) >= 2, steps }
}
