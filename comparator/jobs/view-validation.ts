import type { PromotionView, ValidationView } from '../../vocabulary/api.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { coverageOf } from '../metrics/exchanges.ts'
import { approvalsOf, newestPromotion } from '../store/promotions.ts'
import type { PromotionRow } from '../store/tables.ts'
import { findValidation } from '../store/validations.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import { evaluateNow } from './evaluate-gate.ts'
import { judgeLiveTraffic } from './live-gate.ts'

export async function viewValidation(comparator: Comparator, validation: KnownValidation): Promise<ValidationView> {
  const { db } = comparator
  const { evaluation, evidence, window } = await evaluateNow(comparator, validation)
  const row = await findValidation(db, validation.name)
  const promotion = await newestPromotion(db, validation.name)
  const { exchanges } = evidence
  const { config, policy } = validation
  const skippedTotal = Object.values(exchanges.skipped).reduce((sum, count) => sum + count, 0)
  return {
    name: validation.name,
    kind: policy.output.kind,
    state: row.state,
    livePercent: row.live_percent,
    verdict: evaluation.verdict,
    reason: evaluation.reason,
    window: evaluation.window,
    coverage: coverageOf(exchanges),
    exchanges: {
      seen: exchanges.compared + skippedTotal,
      compared: exchanges.compared,
      skipped: exchanges.skipped,
    },
    versions: {
      primary: window?.primary_version || null,
      candidate: window?.candidate_version || null,
      candidateDigest: window?.candidate_digest || null,
    },
    lastObservationAt: window?.last_at.toISOString() ?? null,
    arriving: comparator.arrivals.view(validation.name),
    promotion: promotion ? await viewPromotion(comparator, promotion) : null,
    policy: {
      output: policy.output,
      gate: policy.gate,
      rollout: config.rollout,
      confidence: policy.confidence,
      approvals: config.approvals,
      requesterApproves: config.requesterApproves,
      storeBodies: config.store.bodies,
    },
  }
}

export async function viewPromotion(comparator: Comparator, row: PromotionRow): Promise<PromotionView> {
  const validation = comparator.validations.get(row.validation)
  const config = validation?.config
  const approvals = await approvalsOf(comparator.db, row.id)
  const live = row.state === 'rollingOut' || row.state === 'promoted'
  return {
    id: row.id,
    validation: row.validation,
    gateId: row.gate_id,
    state: row.state,
    override: row.override,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at.toISOString(),
    comment: row.comment,
    approvals: approvals.map(({ approver, at, comment }) => ({ by: approver, at: at.toISOString(), comment })),
    approvalsNeeded: config?.approvals ?? approvals.length,
    step: row.step,
    livePercent: live && config && row.step !== null ? (config.rollout.steps[row.step] ?? 0) : 0,
    nextStepAt:
      row.state === 'rollingOut' && row.step_at && config
        ? new Date(row.step_at.getTime() + config.rollout.stepDuration).toISOString()
        : null,
    ...(live &&
      validation && { liveGate: await judgeLiveTraffic(comparator, validation, measuredSince(comparator, row)) }),
  }
}

/** The live gate of a rollout looks at its present step; of what is promoted, at the last quarter of an hour. */
const promotedLookbackMs: Milliseconds = 15 * 60_000

function measuredSince({ clock }: Comparator, { step_at }: PromotionRow): EpochMs {
  return step_at?.getTime() ?? clock.now() - promotedLookbackMs
}
