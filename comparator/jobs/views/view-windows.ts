import type { WindowGate } from '../../../vocabulary/api/gate.ts'
import type { EvidenceWindowView } from '../../../vocabulary/api/windows.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { evaluateGate } from '../../gate/evaluate.ts'
import { modelChanges } from '../../promotion/subject.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { findWindow, listWindows } from '../../store/gate/windows.ts'
import { type Comparator, type KnownValidation, underWindow } from '../comparator.ts'
import { failure } from '../errors.ts'
import { viewWindow } from '../gate/evaluate-gate.ts'
import { currentWindow, gateInputOf, judgedEvidence } from '../gate/read-evidence.ts'
import { subjectOf } from '../models.ts'

/** All windows of a validation, past ones too, newest first, each with why it began. */
export async function viewWindows(comparator: Comparator, validation: KnownValidation): Promise<EvidenceWindowView[]> {
  const rows = await listWindows(comparator.db, validation.name)
  const current = await currentWindow(comparator.db, validation)
  return rows.map((row, i) => ({
    id: row.id,
    isCurrent: row.id === current?.id,
    beganAt: row.began_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    beganBecause: whyBegan(rows[i + 1], row),
    ...subjectOf(row),
    policyDigest: row.policy_digest,
    policy: row.policy,
  }))
}

/** Judges a window now, under its own policy. Stores nothing. */
export async function judgeWindow(
  { db, clock }: Comparator,
  validation: KnownValidation,
  windowId: number,
): Promise<WindowGate> {
  const row = await findWindow(db, windowId)
  if (row?.validation !== validation.name) throw failure('NOT_FOUND', `no window ${windowId} of ${validation.name}`)
  const known = underWindow(validation, row)
  const evidence = await judgedEvidence(db, known, row)
  const judged = evaluateGate(gateInputOf(known.policy, row, evidence, clock.now()))
  return {
    validation: validation.name,
    ...judged,
    window: viewWindow(known, row, evidence),
    inputs: { windowId: row.id, revision: row.revision, digest: null },
  }
}

/** What changed since the window before, in words. */
export function whyBegan(before: WindowRow | undefined, row: WindowRow): string {
  if (!before) return 'the first evidence'
  const changes = [
    ...modelChanges(subjectOf(before), subjectOf(row)),
    ...(before.policy_digest === row.policy_digest ? [] : [policyChange(before.policy, row.policy)]),
  ]
  return changes.length > 0 ? changes.join('; ') : 'these models sent evidence again'
}

function policyChange(before: Policy, now: Policy): string {
  const parts = (['output', 'outputs', 'slices', 'window', 'confidence', 'gate'] as const).filter(
    (part) => JSON.stringify(before[part]) !== JSON.stringify(now[part]),
  )
  return `the policy changed: ${parts.join(', ') || 'other settings'}`
}
