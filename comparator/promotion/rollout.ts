import type { Verdict } from '../../vocabulary/gate.ts'
import type { Rollout } from '../../vocabulary/policy.ts'
import type { EpochMs } from '../../vocabulary/units.ts'

export type RolloutDecision =
  | { kind: 'hold'; reason: string }
  | { kind: 'advance'; step: number; livePercent: number }
  | { kind: 'complete' }
  | { kind: 'rollBack'; reason: string }

interface Judged {
  verdict: Verdict
  reason: string
}

/**
 * What a rollout does now. Two gates guard every step: the window's, which let it begin, and the live one, over what
 * clients have got since the step began. Either fails, or another model answers than was approved: the traffic goes
 * back at once. Either cannot tell: the step holds, unless clients have got nothing yet that could tell. The last step is held as long as the others before it counts as
 * done.
 */
export function decideRollout(input: {
  rollout: Pick<Rollout, 'steps' | 'stepDuration'>
  step: number
  stepAt: EpochMs
  gate: Judged
  live: Judged & { holds: boolean }
  /** The candidate's versions; `null` where none is known. */
  versions: { approved: string | null; now: string | null }
  /** Signed against the window's gate, which has no say then. What harms clients still ends it. */
  override: boolean
  now: EpochMs
}): RolloutDecision {
  const { rollout, step, stepAt, gate, live, versions, override, now } = input
  if (versions.approved !== null && versions.now !== null && versions.approved !== versions.now) {
    return {
      kind: 'rollBack',
      reason: `The candidate is version ${versions.now}; version ${versions.approved} was approved.`,
    }
  }
  if (live.verdict === 'fail') return { kind: 'rollBack', reason: live.reason }
  if (gate.verdict === 'fail' && !override) return { kind: 'rollBack', reason: gate.reason }
  if (now < stepAt + rollout.stepDuration) return { kind: 'hold', reason: 'the step is not over' }
  if (gate.verdict !== 'pass' && !override) return { kind: 'hold', reason: gate.reason }
  if (live.holds) return { kind: 'hold', reason: live.reason }
  const next = step + 1
  if (next >= rollout.steps.length) return { kind: 'complete' }
  return { kind: 'advance', step: next, livePercent: rollout.steps[next]! }
}
