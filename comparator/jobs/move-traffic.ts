import { actionsFrom, type PromotionAction, type PromotionStep, transitionFrom } from '../promotion/transition.ts'
import { appendAudit } from '../store/audit.ts'
import { lockValidations } from '../store/lock-validations.ts'
import type { Tx } from '../store/open-database.ts'
import { lockRouting, setValidationState, updatePromotion } from '../store/promotions.ts'
import type { PromotionRow } from '../store/tables.ts'
import { type Actor, system } from './actor.ts'
import type { Comparator, KnownValidation } from './comparator.ts'
import { failure } from './errors.ts'

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

/** Refuses a step that the promotion's state does not allow. */
export function requireTransition(promotion: PromotionRow, step: PromotionStep) {
  const transition = transitionFrom(promotion.state, step)
  if (transition) return transition
  const possible = actionsFrom(promotion.state).join(', ') || 'none'
  throw failure(
    'PROMOTION_STATE',
    `a promotion that is ${promotion.state} cannot take the action ${step}; possible: ${possible}`,
    { state: promotion.state, possible: actionsFrom(promotion.state) },
  )
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
  await audit(comparator, tx, actor, action, promotion.validation, { promotion: promotion.id, ...details })
}

/** Writes down who did what, and tells the webhooks: both in the transaction that does it. */
export async function audit(
  comparator: Comparator,
  tx: Tx,
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
