import { useState } from 'preact/hooks'
import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { RollbackDialog } from './rollback-dialog.tsx'
import type { Action } from './use-action.ts'

interface RollbackButtonProps {
  promotion: Pick<PromotionView, 'id' | 'validation' | 'livePercent'>
  action: Action
  blocked: string | null
}

/** Rolls back with one click and a confirmation. */
export function RollbackButton({ promotion, action, blocked }: RollbackButtonProps) {
  const [asking, setAsking] = useState(false)
  const blockedId = `rollback-blocked-${promotion.id}`
  return (
    <>
      <button
        class="button button-danger"
        type="button"
        disabled={blocked !== null || action.running}
        aria-describedby={blocked ? blockedId : undefined}
        onClick={() => setAsking(true)}
      >
        Roll back
      </button>
      {blocked && (
        <p class="blocked" id={blockedId}>
          {blocked}
        </p>
      )}
      {asking && <RollbackDialog promotion={promotion} action={action} close={() => setAsking(false)} />}
    </>
  )
}
