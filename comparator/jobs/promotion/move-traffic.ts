import type { PromotionAction, PromotionStep } from '../../promotion/transition.ts'
import type { Tx } from '../../store/open-database.ts'
import { setValidationState, updatePromotion } from '../../store/promotions.ts'
import type { PromotionRow } from '../../store/tables.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { type Actor, system } from './actor.ts'
import { audit } from './audit.ts'
import { requireTransition } from './change-promotion.ts'

/** Starts a rollout or moves it to its next step. */
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

/** Completes a rollout after its last step. The live share stays as it is, even if the configured steps changed. */
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

/** Ends a promotion: all live traffic goes back to the primary at once. */
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

/** Changes a promotion's state, its validation's state and live traffic together, and records who did it. */
async function moveTraffic(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  /** `begins` is the index of the rollout step that begins, if any. */
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
