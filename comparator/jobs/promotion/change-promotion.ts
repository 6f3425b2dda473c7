import { actionsFrom, type PromotionStep, transitionFrom } from '../../promotion/transition.ts'
import { inTransaction } from '../../store/database/in-transaction.ts'
import { lockValidations } from '../../store/database/lock-validations.ts'
import type { Db, Tx } from '../../store/database/open-database.ts'
import type { PromotionRow } from '../../store/database/tables.ts'
import { failure } from '../errors.ts'

/** Serialises changes of a validation's promotion. */
export function changePromotion<Result>(
  db: Db,
  validation: string,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (tx) => {
    await lockValidations(tx, [validation])
    return change(tx)
  })
}

/** The transition of a step; throws `PROMOTION_STATE` if the promotion's state does not allow it. */
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
