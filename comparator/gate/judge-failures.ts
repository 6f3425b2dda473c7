import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import type { Estimator } from '../metrics/estimate.ts'
import type { Pace } from './forecast.ts'
import { judgeMetric } from './judge-metric.ts'
import type { Judged } from './judged.ts'
import { spellPercent } from './spell-number.ts'

/** What a policy that says nothing of the candidate's failures tolerates of them. */
const silentFailuresMax = 0.01

/** Whether a policy itself limits how often the candidate may fail, over all traffic. */
function limitsFailures({ metric, slice, max, reportOnly }: GateCheck): boolean {
  return (
    !reportOnly &&
    slice === undefined &&
    max !== undefined &&
    (metric === 'errorRate.candidate' || metric === 'errorRate.delta')
  )
}

/**
 * Metrics of distance leave out exchanges in which the candidate failed, so a gate without a say on failures would not
 * see them. It gets this check, which passes on the rate that was seen (its bound is the policy's business) and else
 * is judged like any other. `null` where the policy has its own.
 */
export function judgeFailures(policy: Policy, estimator: Estimator, pace: Pace): Judged | null {
  if (policy.gate.some(limitsFailures)) return null
  const check = { metric: 'errorRate.delta', max: silentFailuresMax, reportOnly: false }
  const judged = judgeMetric(check, policy, estimator, pace)
  const { estimate, verdict } = judged.result
  if (verdict !== 'inconclusive' || estimate === null || estimate > silentFailuresMax) return judged
  const text = `The candidate failed in ${spellPercent(estimate)} more of the exchanges than the primary; a policy without a limit on it allows ${spellPercent(silentFailuresMax)} → pass`
  return { ...judged, result: { ...judged.result, verdict: 'pass', forecast: null, text } }
}
