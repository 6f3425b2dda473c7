import type { Rollout } from '../../vocabulary/policy.ts'
import type { EpochMs } from '../../vocabulary/units.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'

type RolloutDecision =
  | { kind: 'hold'; reason: string }
  | { kind: 'advance'; step: number }
  | { kind: 'complete' }
  | { kind: 'rollBack'; reason: string }

interface Judged {
  verdict: Verdict
  reason: string
}

/**
 * What a rollout does now. Two gates guard every step: the window's, which let it begin, and the live one, over what
 * clients have got since the step began. Either fails, or models or policy are others than were approved: the traffic
 * goes back at once. Either cannot tell: the step holds, unless clients have got nothing yet that could tell. The last
 * step is held as long as the others before it counts as done.
 */
export function decideRollout(input: {
  rollout: Pick<Rollout, 'steps' | 'stepDuration'>
  /** The candidate's share of live traffic now: the steps may be others than those that brought it there. */
  livePercent: number
  stepAt: EpochMs
  gate: Judged
  live: Judged & { holds: boolean }
  /** What of models and policy is another than was approved, in words. */
  changed: readonly string[]
  /** Signed against the window's gate, which has no say then. What harms clients still ends it. */
  override: boolean
  now: EpochMs
}): RolloutDecision {
  const { rollout, livePercent, stepAt, gate, live, changed, override, now } = input
  if (changed.length > 0) return { kind: 'rollBack', reason: `Since the approval ${changed.join('; ')}.` }
  if (live.verdict === 'fail') return { kind: 'rollBack', reason: live.reason }
  if (gate.verdict === 'fail' && !override) return { kind: 'rollBack', reason: gate.reason }
  if (now < stepAt + rollout.stepDuration) return { kind: 'hold', reason: 'the step is not over' }
  if (gate.verdict !== 'pass' && !override) return { kind: 'hold', reason: gate.reason }
  if (live.holds) return { kind: 'hold', reason: live.reason }
  const next = rollout.steps.findIndex((percent) => percent > livePercent)
  return next === -1 ? { kind: 'complete' } : { kind: 'advance', step: next }
}
