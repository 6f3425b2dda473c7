import { randomUUIDv7 } from 'node:crypto'
import { ApiError } from '../../../runtime/api-error.ts'
import type { EpochMs } from '../../../vocabulary/units.ts'
import type { KnownValidation } from '../comparator.ts'
import { viewWindow } from './evaluate-gate.ts'
import { type Judgement, judgementOf } from './judgement.ts'
import { emptyEvidence } from './read-evidence.ts'

/** Shown for a gate that could not be judged: inconclusive, without evidence. Never stored. */
export function unjudged(validation: KnownValidation, error: unknown, at: EpochMs): Judgement {
  const evidence = emptyEvidence(validation.bucketMs)
  const evaluation = {
    id: randomUUIDv7(),
    validation: validation.name,
    at: new Date(at).toISOString(),
    verdict: 'inconclusive' as const,
    reason: `The gate could not be judged: ${whyOf(error)}.`,
    checks: [],
    window: viewWindow(validation, undefined, evidence),
    inputs: { windowId: null, revision: 0, digest: null },
  }
  const input = { policy: validation.policy, ...evidence }
  return judgementOf(validation, { evaluation, evidence, window: undefined, input }, undefined)
}

/** Shown for a gate that was judged before but could not be judged again: the old judgement with a note. */
export function notRejudged(judgement: Judgement, confirmedAt: EpochMs, error: unknown): Judgement {
  const { evaluation } = judgement
  const reason = `${evaluation.reason} Not judged again since ${new Date(confirmedAt).toISOString()}: ${whyOf(error)}.`
  return { ...judgement, evaluation: { ...evaluation, reason } }
}

/** The causes of internal errors are for the log only. */
const whyOf = (error: unknown) => (error instanceof ApiError ? error.message : "the comparator's log has the cause")
