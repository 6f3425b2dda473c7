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
 * Decides what a rollout does now. Two gates guard every step: the window's, on which it began, and the live gate, over
 * what clients have got since the step began. If either fails, or models or policy are not those approved, the traffic
 * goes back at once. If either is inconclusive, the step is held; but once clients have got the required number of
 * answers (0 if none is expected), a live check without evidence does not hold it (`live.holds`). The last step must
 * last as long as the others before the rollout completes.
 */
export function decideRollout(input: {
  rollout: Pick<Rollout, 'steps' | 'stepDuration'>
  /** The candidate's current share of live traffic, which need not be one of `steps`: they may have been changed. */
  livePercent: number
  stepAt: EpochMs
  gate: Judged
  live: Judged & { holds: boolean }
  /** Changes of models and policy since the approval, in words. */
  changed: readonly string[]
  /** Signed against the window's gate, which is then ignored. The live gate still counts. */
  override: boolean
  now: EpochMs
}): RolloutDecision {
  const { rollout, livePercent, stepAt, gate, live, changed, override, now } = input
  if (changed.length > 0) return { kind: 'rollBack', reason: `Since the approval, ${changed.join('; ')}.` }
  if (live.verdict === 'fail') return { kind: 'rollBack', reason: live.reason }
  if (gate.verdict === 'fail' && !override) return { kind: 'rollBack', reason: gate.reason }
  if (now < stepAt + rollout.stepDuration) return { kind: 'hold', reason: 'the step is not over' }
  if (gate.verdict !== 'pass' && !override) return { kind: 'hold', reason: gate.reason }
  if (live.holds) return { kind: 'hold', reason: live.reason }
  const next = rollout.steps.findIndex((percent) => percent > livePercent)
  return next === -1 ? { kind: 'complete' } : { kind: 'advance', step: next }
}
