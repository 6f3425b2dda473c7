import type { CheckResult } from '../../vocabulary/gate.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { catalogueOf } from '../metrics/catalogue.ts'
import type { Estimator } from '../metrics/estimate.ts'

const sided = /\.(primary|candidate|delta|drift)(?=\.|$)/

/**
 * Each side's own value of a metric that has one: `latency.delta.p95` is of `latency.primary.p95` and
 * `latency.candidate.p95`. `undefined` of a metric of the pair, such as an agreement.
 */
export function sidesOf(metric: string, policy: Policy, estimator: Estimator): CheckResult['sides'] {
  const of = (leg: string) => metric.replace(sided, `.${leg}`)
  const [primary, candidate] = [of('primary'), of('candidate')]
  const known = catalogueOf(policy)
  if (primary === candidate || !known.has(primary) || !known.has(candidate)) return undefined
  return { primary: estimator.estimate(primary).estimate, candidate: estimator.estimate(candidate).estimate }
}
