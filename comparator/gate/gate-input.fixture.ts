import type { Observation } from '../../vocabulary/observation.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { answered, contributionsOf, observe, randomFrom, rangeOf } from '../metrics/rollups.fixture.ts'

/** The gate input of observations that are spread evenly over this many buckets of the window. */
export function inputOf(policy: Policy, observations: readonly Observation[], buckets?: number) {
  const contributions = observations.map((observation) => contributionsOf(policy, observation))
  const range = rangeOf(policy, contributions, buckets)
  return { policy, range, exchanges: exchangesOf(range, []), spannedMs: policy.window.duration }
}

/** Classifications with three scores, this share of which agree. */
export function agreeing(count: number, share: number, seed = 1): Observation[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () =>
    observe(answered({ scores: [1, 0, 0] }), answered({ scores: random() < share ? [1, 0, 0] : [0, 1, 0] })),
  )
}
