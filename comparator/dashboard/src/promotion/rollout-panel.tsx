import { useState } from 'preact/hooks'
import type { PromotionView } from '../../../../vocabulary/api.ts'
import type { Rollout } from '../../../../vocabulary/policy.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { StepTrack } from './step-track.tsx'
import type { Action } from './use-action.ts'

interface RolloutPanelProps {
  kind: 'rollingOut' | 'promoted'
  promotion: PromotionView
  rollout: Rollout
  name: string
  blocked: string | null
  action: Action
}

/** Live traffic is moving, or has moved; the way back is always one button and a confirmation. */
export function RolloutPanel({ kind, promotion, rollout, name, blocked, action }: RolloutPanelProps) {
  const [asking, setAsking] = useState<'abort' | 'rollback' | null>(null)
  return (
    <>
      <StepTrack promotion={promotion} rollout={rollout} done={kind === 'promoted'} />
      <div class="action-row">
        {kind === 'rollingOut' && (
          <button
            class="button"
            type="button"
            disabled={blocked !== null || action.running}
            onClick={() => setAsking('abort')}
          >
            Abort
          </button>
        )}
        <button
          class="button button-danger"
          type="button"
          disabled={blocked !== null || action.running}
          aria-describedby={blocked ? 'rollback-blocked' : undefined}
          onClick={() => setAsking('rollback')}
        >
          Roll back
        </button>
        {blocked && (
          <p class="blocked" id="rollback-blocked">
            {blocked}
          </p>
        )}
        <p class="muted">
          Requested by {promotion.requestedBy}
          {promotion.comment && <>: “{promotion.comment}”</>}
        </p>
      </div>
      {asking && (
        <ConfirmDialog
          title={asking === 'abort' ? `Abort the rollout of ${name}?` : `Take ${name} back?`}
          text="All live traffic returns to the primary at once. The candidate is mirrored again, as before."
          confirm={asking === 'abort' ? 'Stop the rollout' : 'Confirm rollback'}
          close={() => setAsking(null)}
          act={(comment) => action.run(`/v1/promotions/${promotion.id}/${asking}`, { comment })}
        />
      )}
    </>
  )
}
