import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import type { Judged } from './judge.ts'
import { spellPercent } from './spell-number.ts'

/** Tolerated where the policy does not limit the candidate's failures itself. */
const silentFailuresMax = 0.01

/** Whether a check limits how often the candidate may fail, over all traffic. */
function limitsFailures({ metric, slice, max, reportOnly }: GateCheck): boolean {
  return (
    !reportOnly &&
    slice === undefined &&
    max !== undefined &&
    (metric === 'errorRate.candidate' || metric === 'errorRate.delta')
  )
}

/**
 * Distance metrics leave out exchanges in which the candidate failed, so a gate without a limit on failures would miss
 * them. Such a gate gets this check, judged by its whole bound like any other; without failures it passes from about
 * 760 exchanges on. `null` where the policy has a limit of its own.
 */
export function impliedCheck({ gate }: Policy): GateCheck | null {
  return gate.some(limitsFailures) ? null : { metric: 'errorRate.delta', max: silentFailuresMax, reportOnly: false }
}

export function asImplied({ result, reason }: Judged): Judged {
  const why = `The policy sets no limit on failures, so at most ${spellPercent(silentFailuresMax)} more than the primary’s is allowed`
  return { result: { ...result, text: `${why}: ${result.text}`, implied: true }, reason }
}
