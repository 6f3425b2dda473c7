import type { GateEvaluation } from '../../vocabulary/gate.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'

/** Why a promotion is refused. The codes are the API's. */
export interface Refusal {
  code: 'GATE_NOT_PASSED' | 'GATE_STALE'
  message: string
}

/** An evaluation older than this was not seen "now", whatever it says. */
export const evaluationAgeMax: Milliseconds = 60 * 60_000

/** Whether the evidence behind two evaluations is of the same models under the same policy. */
function sameSubject(a: GateEvaluation, b: GateEvaluation): boolean {
  return (
    a.window.policyDigest === b.window.policyDigest &&
    a.window.primaryVersion === b.window.primaryVersion &&
    a.window.candidateVersion === b.window.candidateVersion
  )
}

/**
 * Nobody promotes by accident: the evaluation that the approver saw must pass, must be of the models and the policy
 * of now, and the gate must still pass. More evidence of the same kind does not make it stale.
 */
export function refusalOf(seen: GateEvaluation, current: GateEvaluation, now: EpochMs): Refusal | undefined {
  if (seen.verdict !== 'pass') {
    return { code: 'GATE_NOT_PASSED', message: `the gate's verdict is ${seen.verdict}: ${seen.reason}` }
  }
  if (!sameSubject(seen, current)) {
    return {
      code: 'GATE_STALE',
      message: 'the models or the policy have changed since that evaluation; look at the gate again',
    }
  }
  if (current.verdict !== 'pass') {
    return { code: 'GATE_STALE', message: `the gate passed then; now it is ${current.verdict}: ${current.reason}` }
  }
  if (seen.id !== current.id && now - Date.parse(seen.at) > evaluationAgeMax) {
    return { code: 'GATE_STALE', message: 'that evaluation is more than an hour old; look at the gate again' }
  }
  return undefined
}
