const betsMax = 32
/** A coin shows one side so often in a row in fewer than one of a hundred trials. */
const inARow = 7

/** What was seen at one time, in [−1, 1], and how often. */
export interface Seen {
  /** Whole units of time since the watch began. */
  at: number
  values: readonly { value: number; times: number }[]
}

/**
 * Lower bound that holds at all times at once on what the mean of the values has risen to, if only for a while; at least 0,
 * and `null` for no values. Were the mean never over m, then from any beginning j on Π (1 + λ(xᵢ − m)), with
 * 0 < λ < 1 ÷ (m + reach) where no value is under −reach, is a supermartingale (Waudby-Smith and Ramdas 2024, "Estimating
 * means of bounded random variables by betting", one-sided, with fixed bets). So is its mean over a grid of λ and over
 * beginnings with the weights 1 ÷ ((j + 1)(j + 2)), which sum to 1 (Shin, Ramdas and Rinaldo 2024, "E-detectors: a
 * nonparametric framework for sequential change detection"): it exceeds 1/alpha at any time with a probability of at most
 * alpha. The bound is the largest m that is so rejected.
 *
 * The reach is what makes seven 1s in a row just enough, since fewer may be chance, and at least that of the lowest value
 * seen. Where values below nothing were never seen it is a guess, so that a candidate that fails is seen soon where the
 * primary alone never did; how often that errs is in the test.
 *
 * `seen` is in order and may be no more than the newest of the watch: what began before is left out of the sum, which
 * only lowers it.
 */
export function changedMeanLower(seen: readonly Seen[], alpha: number): number | null {
  const values = seen.flatMap((one) => one.values.filter(({ times }) => times > 0)).map(({ value }) => value)
  if (values.length === 0) return null
  const least = Math.min(0, ...values)
  let rejected = 0
  let kept = Math.max(0, ...values)
  if (kept === 0) return 0
  for (let step = 0; step < 20; step++) {
    const middle = (rejected + kept) / 2
    if (wealth(seen, middle, least, alpha) >= 1 / alpha) rejected = middle
    else kept = middle
  }
  return rejected
}

/** The greatest that it has been. */
function wealth(seen: readonly Seen[], m: number, least: number, alpha: number): number {
  const sums = new Float64Array(betsMax)
  let greatest = 0
  for (const { at, values } of seen) {
    const weight = 1 / ((at + 1) * (at + 2))
    // a 1 multiplies the mean over λ by about 1 + 1 ÷ 2 reach
    const reach = Math.max(-least, 0.5 / ((alpha * weight) ** (-1 / inARow) - 1))
    let total = 0
    for (let bet = 0; bet < betsMax; bet++) {
      const lambda = (bet + 0.5) / betsMax / (m + reach)
      let sum = sums[bet]! + weight
      for (const { value, times } of values)
        sum *= times === 1 ? 1 + lambda * (value - m) : (1 + lambda * (value - m)) ** times
      sums[bet] = sum
      total += sum
    }
    greatest = Math.max(greatest, total)
  }
  return greatest / betsMax
}
