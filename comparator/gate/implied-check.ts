import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import type { Judged } from './judge.ts'
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
 * see them. It gets this check, judged by its whole bound like any other: without a failure it passes from about 760
 * exchanges on. `null` where the policy has its own.
 */
export function impliedCheck({ gate }: Policy): GateCheck | null {
  return gate.some(limitsFailures) ? null : { metric: 'errorRate.delta', max: silentFailuresMax, reportOnly: false }
}

export function asImplied({ result, reason }: Judged): Judged {
  const why = `The policy sets no limit on failures, so at most ${spellPercent(silentFailuresMax)} more than the primary’s is allowed`
  return { result: { ...result, text: `${why}: ${result.text}`, implied: true }, reason }
}
