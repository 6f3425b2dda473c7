import type { AuditEntry } from '../../../vocabulary/api/audit.ts'
import type { Dossier } from '../../../vocabulary/api/dossier.ts'
import type { WindowView } from '../../../vocabulary/api/gate.ts'
import type { MetricsView } from '../../../vocabulary/api/metrics.ts'
import { readExchanges } from '../../gate/gate-input.ts'
import { countedApprovers } from '../../promotion/may-approve.ts'
import { auditOfPromotion, listAudit } from '../../store/audit/audit.ts'
import { hashOfEntry } from '../../store/audit/audit-chain.ts'
import type { Db } from '../../store/database/open-database.ts'
import type { WindowRow } from '../../store/database/tables.ts'
import { type EvaluationRow, findEvaluation } from '../../store/gate/gate-evaluations.ts'
import { findGateInput } from '../../store/gate/gate-inputs.ts'
import { findWindow } from '../../store/gate/windows.ts'
import { approvalsOf, findPromotion } from '../../store/promotion/promotions.ts'
import { findValidation } from '../../store/promotion/validations.ts'
import { type Comparator, underWindow } from '../comparator.ts'
import { failure } from '../errors.ts'
import { viewEvaluation } from '../gate/evaluate-gate.ts'
import { viewMetrics } from './view-metrics.ts'
import { viewPromotion } from './view-validation.ts'

/** A promotion with everything that it was based on and led to. */
export async function compileDossier(comparator: Comparator, promotionId: string): Promise<Dossier> {
  const { db, clock, validations } = comparator
  const row = await findPromotion(db, promotionId)
  if (!row) throw failure('NOT_FOUND', `no promotion ${promotionId}`)
  const seen = (await findEvaluation(db, row.gate_id))!
  const window = seen.window_id === null ? undefined : await findWindow(db, seen.window_id)
  const config = validations.get(row.validation)?.config
  const entries = await auditOfPromotion(db, promotionId)
  const approvals = await approvalsOf(db, [promotionId])
  const rule = { approvals: config?.approvals ?? 1, requesterApproves: config?.requesterApproves ?? true }
  const counted = countedApprovers(
    rule,
    row.requested_by,
    approvals.map(({ approver }) => approver),
  )
  const judgedNow = textIn(entries[0], 'judgedNow')
  const atRequest = judgedNow === null || judgedNow === seen.id ? undefined : await findEvaluation(db, judgedNow)
  const [head] = await listAudit(db, 1)
  return {
    generatedAt: new Date(clock.now()).toISOString(),
    promotion: await viewPromotion(comparator, row),
    models: {
      primary: { version: seen.evidence.primaryVersion, digest: seen.evidence.primaryDigest ?? null },
      candidate: { version: seen.evidence.candidateVersion, digest: candidateDigestOf(seen, window) },
    },
    // a gate without evidence has no window that kept the policy
    policy: window?.policy ?? (await findValidation(db, row.validation)).policy,
    policyDigest: seen.policy_digest,
    rollout: config?.rollout ?? null,
    evaluation: viewEvaluation(seen),
    judgedAtRequest: atRequest ? viewEvaluation(atRequest) : null,
    exchanges: await exchangesOf(db, [seen.id, judgedNow]),
    metrics: await metricsOf(comparator, row.validation, window, viewEvaluation(seen).window),
    approvals: approvals.map(({ approver, at, comment, gate_id }) => ({
      by: approver,
      at: at.toISOString(),
      comment,
      gateId: gate_id,
      counts: counted.includes(approver),
    })),
    history: entries.map((entry) => ({
      at: entry.at,
      actor: entry.actor,
      action: entry.action,
      livePercent: typeof entry.details.livePercent === 'number' ? entry.details.livePercent : null,
      comment: textIn(entry, 'comment'),
      live: entry.details.live ?? null,
    })),
    audit: {
      entries,
      entriesHold: entries.every((entry) => hashOfEntry(entry) === entry.hash),
      head: head ? { id: head.id, hash: head.hash } : null,
    },
  }
}

/** As the evaluation names it; evaluations stored before they had digests take their window's. */
function candidateDigestOf({ evidence }: EvaluationRow, window: WindowRow | undefined): string | null {
  return evidence.candidateDigest === undefined ? window?.candidate_digest || null : evidence.candidateDigest
}

/** Counts of exchanges from the first of these evaluations whose input was kept. */
async function exchangesOf(db: Db, ids: (string | null)[]): Promise<Dossier['exchanges']> {
  for (const id of ids) {
    const kept = id === null ? undefined : await findGateInput(db, id)
    if (kept !== undefined) return readExchanges(kept)
  }
  return null
}

/** The metrics that the evaluation judged, for the charts. */
async function metricsOf(
  comparator: Comparator,
  name: string,
  window: WindowRow | undefined,
  { from, to }: WindowView,
): Promise<MetricsView | null> {
  const validation = comparator.validations.get(name)
  if (!validation || !window || from === null || to === null) return null
  const span = { from: Date.parse(from), to: Date.parse(to) + 1 }
  return viewMetrics(comparator, underWindow(validation, window), { ...span, window })
}

function textIn(entry: AuditEntry | undefined, key: string): string | null {
  const value = entry?.details[key]
  return typeof value === 'string' ? value : null
}
