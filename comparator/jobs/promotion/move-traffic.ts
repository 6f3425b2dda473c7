import type { PromotionAction, PromotionStep } from '../../promotion/transition.ts'
import type { Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { setValidationState, updatePromotion } from '../../store/promotion/promotions.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { type Actor, system } from './actor.ts'
import { audit, type Signature } from './audit.ts'
import { requireTransition } from './change-promotion.ts'

/** A step of the validation's rollout, by its index. */
export const stepOf = ({ config }: KnownValidation, step: number) => ({
  step,
  livePercent: config.rollout.steps[step]!,
})

/** Starts a rollout or moves it to its next step. */
export async function startStep(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { step, livePercent }: ReturnType<typeof stepOf>,
  { actor, details }: Omit<Signature, 'action'>,
): Promise<void> {
  const move = { step: promotion.state === 'requested' ? 'begin' : 'step', livePercent, begins: step } as const
  const signature = { actor, action: 'rollout.step', details: { step, livePercent, ...details } }
  await moveTraffic(comparator, tx, promotion, move, signature)
}

/** Completes a rollout after its last step. The live share stays as it is, even if the configured steps changed. */
export async function completePromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  livePercent: number,
  details: Record<string, unknown>,
): Promise<void> {
  const signature = { actor: system, action: 'promotion.complete', details: { livePercent, ...details } }
  await moveTraffic(comparator, tx, promotion, { step: 'complete', livePercent, begins: null }, signature)
}

/** Ends a promotion: all live traffic goes back to the primary at once. */
export async function endPromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  step: Exclude<PromotionAction, 'approve'>,
  { actor, details }: { actor: Actor; details: { comment: string } & Record<string, unknown> },
): Promise<void> {
  const signature = { actor, action: `promotion.${step}`, details }
  await moveTraffic(comparator, tx, promotion, { step, livePercent: 0, begins: null }, signature)
}

/** Changes a promotion's state, its validation's state and live traffic together, and records who did it. */
async function moveTraffic(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  /** `begins` is the index of the rollout step that begins, if any. */
  { step, livePercent, begins }: { step: PromotionStep; livePercent: number; begins: number | null },
  signature: Signature,
): Promise<void> {
  const { to, validation } = requireTransition(promotion, step)
  const at = new Date(comparator.clock.now())
  const timed = begins === null ? { step_at: null } : { step: begins, step_at: at }
  await updatePromotion(tx, promotion.id, { state: to, ...timed })
  await setValidationState(tx, promotion.validation, { state: validation!, live_percent: livePercent }, at)
  const details = { promotion: promotion.id, ...signature.details }
  await audit(comparator, tx, promotion.validation, { ...signature, details })
}
