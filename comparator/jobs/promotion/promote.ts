import { randomUUIDv7 } from 'node:crypto'
import type { GateEvaluation } from '../../../vocabulary/api/gate.ts'
import { isApproved, refusalOfOverride } from '../../promotion/may-approve.ts'
import { type Refusal, refusalOfApproval, refusalOfChanges, refusalOfGate } from '../../promotion/may-promote.ts'
import type { PromotionAction } from '../../promotion/transition.ts'
import type { Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { findEvaluation } from '../../store/gate/gate-evaluations.ts'
import {
  approvalsOf,
  findPromotion,
  insertApproval,
  insertPromotion,
  newestPromotion,
  underWayStates,
} from '../../store/promotion/promotions.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { failure } from '../errors.ts'
import { evaluateNow, keepInput, requireEvaluation, viewEvaluation } from '../gate/evaluate-gate.ts'
import type { Actor } from './actor.ts'
import { audit } from './audit.ts'
import { changePromotion, requireTransition } from './change-promotion.ts'
import { endPromotion, startStep, stepOf } from './move-traffic.ts'

/**
 * Requests a promotion on an evaluation that the requester saw. Counts as their approval unless `requesterApproves` is
 * false. Returns its id.
 */
export async function requestPromotion(
  comparator: Comparator,
  validation: KnownValidation,
  actor: Actor,
  request: { gateId: string; comment: string; override: boolean },
): Promise<string> {
  return changePromotion(comparator.db, validation.name, async (tx) => {
    const last = await newestPromotion(tx, validation.name)
    if (last && isUnderWay(last)) {
      throw failure('PROMOTION_UNDER_WAY', `${validation.name} has a promotion that is ${last.state}`, { id: last.id })
    }
    const seen = viewEvaluation(await requireEvaluation(tx, validation.name, request.gateId))
    const current = await requireGate(comparator, tx, validation, { seen, override: request.override })
    const id = randomUUIDv7()
    const at = new Date(comparator.clock.now())
    await insertPromotion(tx, {
      id,
      validation: validation.name,
      gate_id: seen.id,
      state: 'requested',
      override: request.override,
      requested_by: actor.name,
      requested_at: at,
      comment: request.comment,
      step: null,
      step_at: null,
    })
    if (validation.config.requesterApproves) {
      const approval = { promotion_id: id, approver: actor.name, at, comment: request.comment, gate_id: seen.id }
      await insertApproval(tx, approval)
    }
    await audit(comparator, tx, validation.name, {
      actor,
      action: request.override ? 'promotion.override' : 'promotion.request',
      details: {
        promotion: id,
        gate: seen.id,
        judgedNow: current.id,
        verdict: current.verdict,
        comment: request.comment,
      },
    })
    await rollOutIfApproved(comparator, tx, validation, { id, actor })
    return id
  })
}

interface ActionInput {
  actor: Actor
  comment: string
  /** The evaluation that the approver saw, if not the request's own. */
  gateId?: string | undefined
  /** Whether the approver knows that they approve against the gate. */
  override?: boolean | undefined
}

/** Approves, rejects, aborts or rolls back. */
export async function actOnPromotion(
  comparator: Comparator,
  id: string,
  action: PromotionAction,
  input: ActionInput,
): Promise<void> {
  const found = await findPromotion(comparator.db, id)
  if (!found) throw failure('NOT_FOUND', `no promotion ${id}`)
  await changePromotion(comparator.db, found.validation, async (tx) => {
    const promotion = (await findPromotion(tx, id))!
    requireTransition(promotion, action)
    const { actor, comment } = input
    if (action === 'approve') await approve(comparator, tx, promotion, input)
    else await endPromotion(comparator, tx, promotion, { action, actor, details: { comment } })
  })
}

async function approve(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { actor, comment, gateId = promotion.gate_id, override = false }: ActionInput,
) {
  const validation = comparator.validations.get(promotion.validation)
  if (!validation) throw failure('NOT_FOUND', `validation ${promotion.validation} is no longer configured`)
  if (!validation.config.requesterApproves && actor.name === promotion.requested_by) {
    throw failure('OWN_REQUEST', `${actor.name} requested this promotion; someone else must approve it`)
  }
  throwIfRefused(refusalOfOverride(promotion, { override }))
  const seen = viewEvaluation(await requireEvaluation(tx, validation.name, gateId))
  const requested = await findEvaluation(tx, promotion.gate_id)
  throwIfRefused(refusalOfApproval(viewEvaluation(requested!), seen))
  const current = await requireGate(comparator, tx, validation, { seen, override: promotion.override })
  const at = new Date(comparator.clock.now())
  const approval = { promotion_id: promotion.id, approver: actor.name, at, comment, gate_id: seen.id }
  if (await insertApproval(tx, approval)) {
    await audit(comparator, tx, promotion.validation, {
      actor,
      action: 'promotion.approve',
      details: {
        promotion: promotion.id,
        gate: seen.id,
        judgedNow: current.id,
        ...(promotion.override && { override: true, verdict: current.verdict }),
        comment,
      },
    })
  }
  await rollOutIfApproved(comparator, tx, validation, { id: promotion.id, actor })
}

/**
 * The current evaluation. Throws unless both it and the one seen pass. An override needs no pass, only the same models
 * and policy; its verdict is recorded.
 */
async function requireGate(
  comparator: Comparator,
  tx: Tx,
  validation: KnownValidation,
  { seen, override }: { seen: GateEvaluation; override: boolean },
): Promise<GateEvaluation> {
  const judged = await evaluateNow(comparator, validation, tx)
  const current = judged.evaluation
  const refusal = override ? refusalOfChanges(seen, current) : refusalOfGate(seen, current, comparator.clock.now())
  throwIfRefused(refusal, { gateId: current.id, verdict: current.verdict })
  await keepInput(tx, judged)
  return current
}

function throwIfRefused(refusal: Refusal | undefined, details?: Record<string, unknown>): void {
  if (refusal) throw failure(refusal.code, refusal.message, details)
}

async function rollOutIfApproved(
  comparator: Comparator,
  tx: Tx,
  validation: KnownValidation,
  { id, actor }: { id: string; actor: Actor },
): Promise<void> {
  const promotion = (await findPromotion(tx, id))!
  const approvers = (await approvalsOf(tx, [id])).map(({ approver }) => approver)
  if (!isApproved(validation.config, promotion.requested_by, approvers)) return
  await startStep(comparator, tx, promotion, { ...stepOf(validation, 0), actor, details: {} })
}

const isUnderWay = ({ state }: PromotionRow) => (underWayStates as readonly string[]).includes(state)
