const betsMax = 32

/**
 * Time-uniform lower bound on E[d] of values d in {−1, 0, 1}, of which `up` were 1, `down` −1 and the rest of `n` 0; at
 * least 0. For a mean m under test, Π (1 + λ(dᵢ − m)) with 0 < λ < 1 ÷ (1 + m) is a supermartingale wherever E[d] ≤ m;
 * so is its mean over a grid of λ, and by Ville's inequality it exceeds 1/alpha at any time with a probability of
 * at most alpha. (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting", the
 * one-sided case with fixed bets.) The bound is the largest m that is so rejected. `null` for n = 0.
 */
export function pairedDifferenceLower(counts: { up: number; down: number; n: number }, alpha: number): number | null {
  const { up, down, n } = counts
  if (!(n > 0 && up >= 0 && down >= 0 && up + down <= n)) return null
  const isRejected = (m: number) => wealth(counts, m) >= 1 / alpha
  if (!isRejected(0)) return 0
  let rejected = 0
  let kept = (up - down) / n
  for (let step = 0; step < 60; step++) {
    const middle = (rejected + kept) / 2
    if (isRejected(middle)) rejected = middle
    else kept = middle
  }
  return rejected
}

function wealth({ up, down, n }: { up: number; down: number; n: number }, m: number): number {
  let total = 0
  for (let bet = 0; bet < betsMax; bet++) {
    const lambda = (bet + 0.5) / betsMax / (1 + m)
    const log =
      up * Math.log1p(lambda * (1 - m)) +
      down * Math.log1p(-lambda * (1 + m)) +
      (n - up - down) * Math.log1p(-lambda * m)
    total += Math.exp(Math.min(log, 700))
  }
  return total / betsMax
}
