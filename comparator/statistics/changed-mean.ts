const betsMax = 32
/** A fair coin shows heads this often in a row in fewer than one of a hundred trials. */
const inARow = 7

/** The values in [−1, 1] seen in one unit of time, and how often each. */
export interface Seen {
  /** Whole units of time since the start of the watch. */
  at: number
  values: readonly { value: number; times: number }[]
}

/**
 * A lower bound, valid at all times at once, on the level to which the mean of the values has risen, if only for a
 * while. At least 0; `null` without values.
 *
 * If the mean never exceeds m, then from any start j the product Π (1 + λ(xᵢ − m)), with 0 < λ < 1 ÷ (m + reach) and no
 * value below −reach, is a supermartingale (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables
 * by betting", one-sided, with fixed bets). So is its mean over a grid of λ and over starts with the weights 1 ÷ ((j +
 * 1)(j + 2)), which sum to 1 (Shin, Ramdas and Rinaldo 2024, "E-detectors: a nonparametric framework for sequential
 * change detection"). At any time it exceeds 1/alpha with a probability of at most alpha. The bound is the largest m
 * that this rejects.
 *
 * The reach is chosen so that seven 1s in a row just suffice, since fewer may be chance; and it is at least as large as
 * the lowest value seen requires. Before any negative value is seen, it is a guess: so a failing candidate is noticed
 * soon where the primary has not failed alone. The test shows how often this errs.
 *
 * `seen` must be in order. It may be only the newest part of the watch: earlier starts are then left out of the sum,
 * which only lowers the bound.
 */
export function changedMeanLower(seen: readonly Seen[], alpha: number): number | null {
  const occurred = seen.map(({ at, values }) => ({ at, values: values.filter(({ times }) => times > 0) }))
  const values = occurred.flatMap((one) => one.values.map(({ value }) => value))
  if (values.length === 0) return null
  const least = Math.min(0, ...values)
  let rejected = 0
  let kept = Math.max(0, ...values)
  if (kept === 0) return 0
  for (let step = 0; step < 20; step++) {
    const middle = (rejected + kept) / 2
    if (wealth(occurred, middle, least, alpha) >= 1 / alpha) rejected = middle
    else kept = middle
  }
  return rejected
}

/** The greatest value that the supermartingale for m has reached. */
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
      for (const { value, times } of values) {
        sum *= times === 1 ? 1 + lambda * (value - m) : (1 + lambda * (value - m)) ** times
      }
      sums[bet] = sum
      total += sum
    }
    greatest = Math.max(greatest, total)
  }
  return greatest / betsMax
}
