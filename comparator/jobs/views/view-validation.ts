import type { PromotionView } from '../../../vocabulary/api/promotion.ts'
import type { ValidationView } from '../../../vocabulary/api/validation.ts'
import { differenceToClients } from '../../compare/side-differences.ts'
import { dimensionsOf } from '../../metrics/contributions/slice-values.ts'
import type { PromotionRow, ValidationRow } from '../../store/database/tables.ts'
import { type ApprovalRow, approvalsOf, newestPromotion } from '../../store/promotion/promotions.ts'
import { findValidation } from '../../store/promotion/validations.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { judgeLiveTraffic, liveSince } from '../gate/judge-live-traffic.ts'
import { type Judgement, viewJudgement } from '../gate/judgement.ts'
import { changesSinceRequest } from '../gate/outdated-request.ts'
import { differenceInAnswers } from './difference-in-answers.ts'
import { sampleRates } from './sample-rates.ts'

export async function viewValidation(
  comparator: Comparator,
  validation: KnownValidation,
  judgement: Judgement,
): Promise<ValidationView> {
  const rates = await sampleRates(comparator, judgement.window ? [judgement.window] : [])
  const row = await findValidation(comparator.db, validation.name)
  const promotion = await newestPromotion(comparator.db, validation.name)
  const approvals = promotion ? await approvalsOf(comparator.db, [promotion.id]) : []
  const view = await viewJudged(comparator, validation, judgement, { row, promotion, approvals, rates })
  if (view.differenceToClients !== null || !judgement.window) return view
  return { ...view, differenceToClients: await differenceInAnswers(comparator.db, judgement.window.id) }
}

/** Current state, however old the judgement is. `rates` are samples per minute by window id. */
interface Present {
  row: ValidationRow
  promotion: PromotionRow | undefined
  /** The promotion's. */
  approvals: readonly ApprovalRow[]
  rates: ReadonlyMap<number, number>
}

export async function viewJudged(
  comparator: Comparator,
  validation: KnownValidation,
  judgement: Judgement,
  { row, promotion, approvals, rates }: Present,
): Promise<ValidationView> {
  const { config, policy } = validation
  const { deciding, evaluation, window } = judgement
  return {
    name: validation.name,
    kind: policy.output.kind,
    outputs: Object.entries(policy.outputs ?? {}).map(([name, { kind }]) => ({ name, kind })),
    dimensions: dimensionsOf(policy),
    state: row.state,
    livePercent: row.live_percent,
    ...viewJudgement(judgement),
    glance: {
      samplesPerMinute: window ? (rates.get(window.id) ?? 0) : null,
      deciding,
      decides: evaluation.checks.find(({ decides }) => decides) ?? null,
    },
    noiseFloorOf: [...comparator.validations.values()]
      .filter((other) => other.policy.noiseFloor === validation.name)
      .map(({ name }) => name),
    arriving: comparator.arrivals.view(validation.name),
    promotion: promotion
      ? await viewPromotion(comparator, promotion, { approvals, livePercent: row.live_percent })
      : null,
    differenceToClients: differenceToClients(policy),
    policy: {
      output: policy.output,
      gate: policy.gate,
      rollout: config.rollout,
      confidence: policy.confidence,
      ageMaxMs: policy.window.ageMax ?? null,
      approvals: config.approvals,
      requesterApproves: config.requesterApproves,
      storeBodies: config.store.bodies,
    },
  }
}

/** What a list has read already, for all promotions at once. */
interface KnownOfPromotion {
  approvals: readonly ApprovalRow[]
  livePercent: number
}

export async function viewPromotion(
  comparator: Comparator,
  row: PromotionRow,
  known?: KnownOfPromotion,
): Promise<PromotionView> {
  const validation = comparator.validations.get(row.validation)
  const config = validation?.config
  const approvals = known?.approvals ?? (await approvalsOf(comparator.db, [row.id]))
  const outdated = row.state === 'requested' && validation ? await changesSinceRequest(comparator, validation, row) : []
  const live = row.state === 'rollingOut' || row.state === 'promoted'
  const livePercent = async () =>
    known?.livePercent ?? (await findValidation(comparator.db, row.validation)).live_percent
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
    livePercent: live ? await livePercent() : 0,
    nextStepAt:
      row.state === 'rollingOut' && row.step_at && config
        ? new Date(row.step_at.getTime() + config.rollout.stepDuration).toISOString()
        : null,
    ...(outdated.length > 0 && { outdated: outdated.join('; ') }),
    ...(live && validation && { liveGate: await judgeLiveTraffic(comparator, validation, liveSince(comparator, row)) }),
  }
}
