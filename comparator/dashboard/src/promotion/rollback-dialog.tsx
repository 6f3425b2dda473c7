import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { formatPercent } from '../format/number.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import type { Action } from './use-action.ts'

interface RollbackDialogProps {
  promotion: Pick<PromotionView, 'id' | 'validation' | 'livePercent'>
  action: Pick<Action, 'run'>
  close: () => void
}

/** Asks for confirmation of a rollback, with a comment. */
export function RollbackDialog({ promotion: { id, validation, livePercent }, action, close }: RollbackDialogProps) {
  return (
    <ConfirmDialog
      of={id}
      title={`Roll back ${validation}?`}
      text={`The ${formatPercent(livePercent)} of live traffic that the candidate answers returns to the primary at once. The candidate is mirrored again, as before.`}
      confirm="Confirm rollback"
      close={close}
      act={(comment) =>
        action.run(`/v1/promotions/${id}/rollback`, { comment }, `${validation} is rolled back: the primary answers.`)
      }
    />
  )
}
