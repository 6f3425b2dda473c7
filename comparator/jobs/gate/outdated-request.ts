import { changesOfSubject } from '../../promotion/subject.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { findEvaluation } from '../../store/gate/gate-evaluations.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { subjectOf } from '../models.ts'
import { viewEvaluation } from './evaluate-gate.ts'
import { currentWindow } from './read-evidence.ts'

/** How models and policy changed since a promotion was requested, in words. After any change nobody can approve it. */
export async function changesSinceRequest(
  { db }: Comparator,
  validation: KnownValidation,
  { gate_id }: PromotionRow,
): Promise<string[]> {
  const requested = (await findEvaluation(db, gate_id))!
  const window = await currentWindow(db, validation)
  return changesOfSubject(viewEvaluation(requested), {
    window: { ...subjectOf(window), policyDigest: validation.digest },
    inputs: { windowId: window?.id ?? null },
  })
}
