import { useState } from 'preact/hooks'
import type { PromotionView } from '../../../../vocabulary/promotion.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import type { Action } from './use-action.ts'

interface RollbackButtonProps {
  promotion: Pick<PromotionView, 'id' | 'validation' | 'livePercent'>
  action: Action
  blocked?: string | null
  small?: boolean
}

/** The way back: one click and a confirmation, from wherever it stands. */
export function RollbackButton({ promotion, action, blocked = null, small = false }: RollbackButtonProps) {
  const [asking, setAsking] = useState(false)
  const { id, validation, livePercent } = promotion
  return (
    <>
      <button
        class={small ? 'button button-danger button-small' : 'button button-danger'}
        type="button"
        disabled={blocked !== null || action.running}
        aria-describedby={blocked ? `rollback-blocked-${id}` : undefined}
        aria-label={small ? `Roll back ${validation}` : undefined}
        onClick={() => setAsking(true)}
      >
        Roll back
      </button>
      {blocked && (
        <p class="blocked" id={`rollback-blocked-${id}`}>
          {blocked}
        </p>
      )}
      {asking && (
        <ConfirmDialog
          title={`Take ${validation} back?`}
          text={`The ${livePercent} % of live traffic that the candidate answers returns to the primary at once. The candidate is mirrored again, as before.`}
          confirm="Confirm rollback"
          close={() => setAsking(false)}
          act={(comment) =>
            action.run(
              `/v1/promotions/${id}/rollback`,
              { comment },
              `${validation} is rolled back: the primary answers.`,
            )
          }
        />
      )}
    </>
  )
}
