import type { PromotionAction, PromotionStep } from '../../promotion/transition.ts'
import { afterCommit } from '../../store/database/in-transaction.ts'
import type { Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { setValidationState, updatePromotion } from '../../store/promotion/promotions.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'
import { system } from './actor.ts'
import { audit, type Signature } from './audit.ts'
import { requireTransition } from './change-promotion.ts'

/** A step of the validation's rollout, by its index. */
export const stepOf = ({ config }: KnownValidation, step: number) => ({
  step,
  livePercent: config.rollout.steps[step]!,
})

type Signed<Of> = Of & Omit<Signature, 'action'>

/** Starts a rollout or moves it to its next step. */
export async function startStep(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { step, livePercent, actor, details }: Signed<ReturnType<typeof stepOf>>,
): Promise<void> {
  await moveTraffic(comparator, tx, promotion, {
    transition: promotion.state === 'requested' ? 'begin' : 'step',
    livePercent,
    begins: step,
    signature: { actor, action: 'rollout.step', details: { step, livePercent, ...details } },
  })
}

/** Completes a rollout after its last step. The live share stays as it is, even if the configured steps changed. */
export async function completePromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { livePercent, ...details }: { livePercent: number } & Record<string, unknown>,
): Promise<void> {
  await moveTraffic(comparator, tx, promotion, {
    transition: 'complete',
    livePercent,
    begins: null,
    signature: { actor: system, action: 'promotion.complete', details: { livePercent, ...details } },
  })
}

/** Ends a promotion: all live traffic goes back to the primary at once. */
export async function endPromotion(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { action, actor, details }: Signed<{ action: Exclude<PromotionAction, 'approve'>; details: { comment: string } }>,
): Promise<void> {
  await moveTraffic(comparator, tx, promotion, {
    transition: action,
    livePercent: 0,
    begins: null,
    signature: { actor, action: `promotion.${action}`, details },
  })
}

interface Move {
  transition: PromotionStep
  livePercent: number
  /** The index of the rollout step that begins, if any. */
  begins: number | null
  signature: Signature
}

/**
 * Changes a promotion's state, its validation's state and live traffic together, and records who did it. Wakes the
 * mirrors after the commit.
 */
async function moveTraffic(
  comparator: Comparator,
  tx: Tx,
  promotion: PromotionRow,
  { transition, livePercent, begins, signature }: Move,
): Promise<void> {
  const { to, validation } = requireTransition(promotion, transition)
  const at = new Date(comparator.clock.now())
  const timed = begins === null ? { step_at: null } : { step: begins, step_at: at }
  await updatePromotion(tx, promotion.id, { state: to, ...timed })
  await setValidationState(tx, promotion.validation, { state: validation!, live_percent: livePercent }, at)
  const details = { promotion: promotion.id, ...signature.details }
  await audit(comparator, tx, promotion.validation, { ...signature, details })
  afterCommit(tx, comparator.routingChanged)
}
