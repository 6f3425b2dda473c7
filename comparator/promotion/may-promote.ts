import type { GateEvaluation } from '../../vocabulary/api/gate.ts'
import { type EpochMs, hourMs } from '../../vocabulary/units.ts'
import { changesOfSubject, type Judged } from './subject.ts'

/** Why a promotion is refused. The codes are the API's. */
export interface Refusal {
  code: 'GATE_NOT_PASSED' | 'GATE_STALE'
  message: string
}

type Evaluation = Judged & Pick<GateEvaluation, 'id' | 'at' | 'verdict' | 'reason'>

/** An older evaluation is stale, unless it is still the newest. */
const evaluationAgeMax = hourMs

/** Refused if models or policy changed since the evaluation that was seen. Applies to overrides too. */
export function refusalOfChanges(seen: Judged, current: Judged): Refusal | undefined {
  const changes = changesOfSubject(seen, current)
  if (changes.length === 0) return undefined
  return { code: 'GATE_STALE', message: `since that evaluation, ${changes.join('; ')}; review the gate again` }
}

/** Refused if models or policy changed since the request: such an approval must not add to earlier ones. */
export function refusalOfApproval(requested: Judged, seen: Judged): Refusal | undefined {
  const changes = changesOfSubject(requested, seen)
  if (changes.length === 0) return undefined
  return {
    code: 'GATE_STALE',
    message: `since the request, ${changes.join('; ')}; close it and request promotion again on the current gate`,
  }
}

/**
 * Nobody promotes by accident: the evaluation that the approver saw must pass, must be of the current models and
 * policy, and the gate must still pass. More evidence of the same kind does not make it stale.
 */
export function refusalOfGate(seen: Evaluation, current: Evaluation, now: EpochMs): Refusal | undefined {
  if (seen.verdict !== 'pass') {
    return { code: 'GATE_NOT_PASSED', message: `the gate's verdict is ${seen.verdict}: ${seen.reason}` }
  }
  const other = refusalOfChanges(seen, current)
  if (other) return other
  if (current.verdict !== 'pass') {
    return {
      code: 'GATE_STALE',
      message: `the gate passed then; its verdict is now ${current.verdict}: ${current.reason}`,
    }
  }
  if (seen.id !== current.id && now - Date.parse(seen.at) > evaluationAgeMax) {
    return { code: 'GATE_STALE', message: 'that evaluation is more than an hour old; review the gate again' }
  }
  return undefined
}
