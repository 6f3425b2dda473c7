import type { Policy } from '../../../vocabulary/policy.ts'
import { catalogueOf } from './catalogue.ts'
import type { QuantileMetric } from './quantile-metrics.ts'

/** A limit on a quantile is judged by the share of values beyond it, counted exactly. */
export interface LimitOnQuantile {
  quantile: QuantileMetric
  limit: number
  side: 'over' | 'under'
  measure: string
}

export function limitOnQuantile(quantile: QuantileMetric, side: 'over' | 'under', limit: number): LimitOnQuantile {
  return { quantile, limit, side, measure: `${side}:${quantile.values}:${limit}` }
}

/** The quantile that a metric's name stands for; `null` for any other metric. */
export function quantileMetricOf(name: string, policy: Policy): QuantileMetric | null {
  const metric = catalogueOf(policy).get(name)
  return metric?.kind === 'quantile' ? metric : null
}

const limitsByPolicy = new WeakMap<Policy, LimitOnQuantile[]>()

/** Every limit that the policy's gate sets on a quantile, once each. */
export function quantileLimitsOf(policy: Policy): LimitOnQuantile[] {
  return limitsByPolicy.getOrInsertComputed(policy, () => {
    const byMeasure = new Map<string, LimitOnQuantile>()
    for (const check of policy.gate) {
      const quantile = quantileMetricOf(check.metric, policy)
      if (quantile === null) continue
      for (const [side, limit] of [
        ['over', check.max],
        ['under', check.min],
      ] as const) {
        if (limit === undefined) continue
        const found = limitOnQuantile(quantile, side, limit)
        byMeasure.set(found.measure, found)
      }
    }
    return [...byMeasure.values()]
  })
}
