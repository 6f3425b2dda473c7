import { randomUUIDv7 } from 'node:crypto'
import type { GateEvaluation } from '../../vocabulary/gate.ts'
import { isApproved, refusalOfOverride } from '../promotion/may-approve.ts'
import { type Refusal, refusalOf, refusalOfApproval, refusalOfOther } from '../promotion/may-promote.ts'
import { actionsFrom, type PromotionAction, type PromotionStep, transitionFrom } from '../promotion/transition.ts'
import { appendAudit } from '../store/audit.ts'
import { findEvaluation } from '../store/gate-evaluations.ts'
import { lockValidations } from '../store/lock-validations.ts'
import type { Tx } from '../store/open-database.ts'
import {
  approvalsOf,
  findPromotion,
  insertApproval,
  insertPromotion,
  lockRouting,
  newestPromotion,
  setValidationState,
  underWayStates,
  updatePromotion,
} from '../store/promotions.ts'
import type { PromotionRow } from '../store/tables.ts'
import { type Actor, system } from './actor.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import { failure } from './errors.ts'
import { evaluateNow, keepInput, requireEvaluation, viewEvaluation } from './evaluate-gate.ts'

/** Requests a promotion on an evaluation that its creator saw. Counts as the creator's approval. Returns its id. */
export async function requestPromotion(
  comparator: Comparator,
  validation: KnownValidation,
  actor: Actor,
  request: { gateId: string; comment: string; override: boolean },
): Promise<string> {
  return changing(comparator, validation.name, async (tx) => {
    const last = await newestPromotion(tx, validation.name)
    if (last && isUnderWay(last)) {
      throw failure('PROMOTION_UNDER_WAY', `${validation.name} has a promotion that is ${last.state}`, { id: last.id })
    }
    const seen = viewEvaluation(await requireEvaluation(tx, validation.name, request.gateId))
    const current = await requireGate(comparator, tx, validation, seen, request.override)
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
    await audit(tx, comparator, actor, request.override ? 'promotion.override' : 'promotion.request', validation.name, {
      promotion: id,
      gate: seen.id,
      judgedNow: current.id,
      verdict: current.verdict,
      comment: request.comment,
    })
    await rollOutIfApproved(comparator, tx, validation, id, actor)
    return id
  })
}

interface Word {
  comment: string
  /** The evaluation that an approver saw, if not the request's own. */
  gateId?: string | undefined
  /** That an approver knows that the gate is set aside. */
  override?: boolean | undefined
}

/** Approves, rejects, aborts or rolls back. */
export async function actOnPromotion(
  comparator: Comparator,
  id: string,
  action: PromotionAction,
  actor: Actor,
  word: Word,
): Promise<void> {
  const found = await findPromotion(comparator.db, id)
  if (!found) throw failure('NOT_FOUND', `no promotion ${id}`)
  await changing(comparator, found.validation, async (tx) => {
    const promotion = (await findPromotion(tx, id))!
    requireTransition(promotion, action)
    if (action === 'approve') await approve(comparator, tx, promotion, actor, word)
    else await endPromotion(comparator, tx, promotion, action, actor, word.comment)
  })
}

function requireTransition(promotion: PromotionRow, step: PromotionStep) {
  const transition = transitionFrom(promotion.state, step)
  if (transition) return transition
  const possible = actionsFrom(promotion.state).join(', ') || 'none'
  throw failure(
    'PROMOTION_STATE',
    `a promotion that is ${promotion.state} cannot take the action ${step}; possible: ${possible}`,
    { state: promotion.state, possible: actionsFrom(promotion.state) },
  )
}

async function approve(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  actor: Actor,
  { comment, gateId = promotion.gate_id, override = false }: Word,
) {
  const validation = comparator.validations.get(promotion.validation)
  if (!validation) throw failure('NOT_FOUND', `validation ${promotion.validation} is no longer configured`)
  if (!validation.config.requesterApproves && actor.name === promotion.requested_by) {
    throw failure('OWN_REQUEST', `${actor.name} asked for this promotion; others must approve it`)
  }
  requireNone(refusalOfOverride(promotion, { override }))
  const seen = viewEvaluation(await requireEvaluation(tx, validation.name, gateId))
  const requested = await findEvaluation(tx, promotion.gate_id)
  requireNone(refusalOfApproval(viewEvaluation(requested!), seen))
  const current = await requireGate(comparator, tx, validation, seen, promotion.override)
  const at = new Date(comparator.clock.now())
  const approval = { promotion_id: promotion.id, approver: actor.name, at, comment, gate_id: seen.id }
  if (await insertApproval(tx, approval)) {
    await audit(tx, comparator, actor, 'promotion.approve', promotion.validation, {
      promotion: promotion.id,
      gate: seen.id,
      judgedNow: current.id,
      ...(promotion.override && { override: true, verdict: current.verdict }),
      comment,
    })
  }
  await rollOutIfApproved(comparator, tx, validation, promotion.id, actor)
}

/** Ends a promotion: whatever live traffic the candidate had goes back to the primary, at once. */
export async function endPromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  action: Exclude<PromotionAction, 'approve'>,
  actor: Actor,
  comment: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const signed = { actor, action: `promotion.${action}`, details: { comment, ...details } }
  await moveTraffic(comparator, tx, promotion, { step: action, livePercent: 0, begins: null }, signed)
}

/** The gate must pass, seen and now; an override is its own signed act: it records the verdict, of the same models. */
async function requireGate(
  comparator: Comparator,
  tx: Tx,
  validation: KnownValidation,
  seen: GateEvaluation,
  override: boolean,
): Promise<GateEvaluation> {
  const judged = await evaluateNow(comparator, validation, tx)
  const current = judged.evaluation
  const refusal = override ? refusalOfOther(seen, current) : refusalOf(seen, current, comparator.clock.now())
  requireNone(refusal, { gateId: current.id, verdict: current.verdict })
  await keepInput(tx, current.id, judged)
  return current
}

function requireNone(refusal: Refusal | undefined, details?: Record<string, unknown>): void {
  if (refusal) throw failure(refusal.code, refusal.message, details)
}

async function rollOutIfApproved(
  comparator: Comparator,
  tx: Tx,
  validation: KnownValidation,
  promotionId: string,
  actor: Actor,
): Promise<void> {
  const promotion = (await findPromotion(tx, promotionId))!
  const approvers = (await approvalsOf(tx, promotionId)).map(({ approver }) => approver)
  if (!isApproved(validation.config, promotion.requested_by, approvers)) return
  await startStep(comparator, tx, validation, promotion, 0, actor)
}

/** Begins a rollout or moves it to its next step, and tells the mirrors. */
export async function startStep(
  comparator: Comparator,
  tx: Tx,
  validation: KnownValidation,
  promotion: PromotionRow,
  step: number,
  actor: Actor,
  details: Record<string, unknown> = {},
): Promise<void> {
  const livePercent = validation.config.rollout.steps[step]!
  const move = { step: promotion.state === 'requested' ? 'begin' : 'step', livePercent, begins: step } as const
  const signed = { actor, action: 'rollout.step', details: { step, livePercent, ...details } }
  await moveTraffic(comparator, tx, promotion, move, signed)
}

/** The last step has lasted: the candidate stays as live as it is, which after a change of the steps need be none of them. */
export async function completePromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  livePercent: number,
  details: Record<string, unknown>,
): Promise<void> {
  const signed = { actor: system, action: 'promotion.complete', details: { livePercent, ...details } }
  await moveTraffic(comparator, tx, promotion, { step: 'complete', livePercent, begins: null }, signed)
}

/** Takes a promotion a step on, its validation and live traffic with it, and writes down who did. */
async function moveTraffic(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  /** `begins`: the step of the rollout that does. */
  { step, livePercent, begins }: { step: PromotionStep; livePercent: number; begins: number | null },
  { actor, action, details }: { actor: Actor; action: string; details: Record<string, unknown> },
): Promise<void> {
  const { to, validation } = requireTransition(promotion, step)
  const at = new Date(comparator.clock.now())
  const timed = begins === null ? { step_at: null } : { step: begins, step_at: at }
  await updatePromotion(tx, promotion.id, { state: to, ...timed })
  await setValidationState(tx, promotion.validation, { state: validation!, live_percent: livePercent }, at)
  await audit(tx, comparator, actor, action, promotion.validation, { promotion: promotion.id, ...details })
}

/** Writes down who did what, and tells the webhooks: both in the transaction that does it. */
export async function audit(
  tx: Tx,
  comparator: Comparator,
  actor: Actor,
  action: string,
  validation: string,
  details: Record<string, unknown>,
): Promise<void> {
  // the audit's lock comes after the routing's in all transactions: where traffic moves, the routing's is held already
  await lockRouting(tx)
  const at = new Date(comparator.clock.now())
  const entry = await appendAudit(tx, { at, actor: actor.name, role: actor.role, action, validation, details })
  const told = { actor: actor.name, role: actor.role, ...details, audit: { id: entry.id, hash: entry.hash } }
  await comparator.webhooks.tell(tx, action, validation, told)
}

/** One change of a validation's promotion at a time; the mirrors are told once it is committed, unless it is `false`. */
export async function changing<Result>(
  comparator: Comparator,
  validation: string,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const result = await comparator.db.transaction().execute(async (tx) => {
    await lockValidations(tx, [validation])
    return change(tx)
  })
  if (result !== false) comparator.routingChanged()
  return result
}

const isUnderWay = ({ state }: PromotionRow) => (underWayStates as readonly string[]).includes(state)
