/** Requests per second. */
type Rate = number

interface CapacitySearch {
  start: Rate
  max: Rate
  stepsMax: number
  /** Cuts the search short: what is asked then does not count. */
  signal: AbortSignal
  /** The search ends once the lowest broken rate is no further above the highest held one than this share. */
  precision: number
}

interface CapacityFound {
  /** The highest rate that held; 0 where none did. */
  rate: Rate
  /** Whether it held twice. */
  confirmed: boolean
  steps: { rate: Rate; held: boolean }[]
}

const rateMin: Rate = 0.1

/**
 * Doubles the rate until it does not hold, halves the gap until it is narrow, then asks for the answer a second time;
 * where that does not hold, luck had it the first time, and the search goes on below.
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
