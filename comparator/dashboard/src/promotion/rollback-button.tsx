import { useState } from 'preact/hooks'
import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import { RollbackDialog } from './rollback-dialog.tsx'
import type { Action } from './use-action.ts'

interface RollbackButtonProps {
  promotion: Pick<PromotionView, 'id' | 'validation' | 'livePercent'>
  action: Action
}

/** Rolls back with one click and a confirmation. */
export function RollbackButton({ promotion, action }: RollbackButtonProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <button class="button button-danger" type="button" disabled={action.running} onClick={() => setAsking(true)}>
        Roll back
      </button>
      {asking && <RollbackDialog promotion={promotion} action={action} close={() => setAsking(false)} />}
    </>
  )
}
