import { useState } from 'preact/hooks'
import type { Rollout } from '../../../../vocabulary/policy.ts'
import type { PromotionView } from '../../../../vocabulary/promotion.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { LiveGateList } from './live-gate-list.tsx'
import { RollbackButton } from './rollback-button.tsx'
import { StepTrack } from './step-track.tsx'
import type { Action } from './use-action.ts'

interface RolloutPanelProps {
  kind: 'rollingOut' | 'promoted'
  promotion: PromotionView
  rollout: Rollout
  /** The window's gate, in the words of its banner. */
  gate: { verdict: Verdict; sentence: string }
  name: string
  blocked: string | null
  action: Action
}

/** Live traffic is moving, or has moved: what guards it, and the way back. */
export function RolloutPanel({ kind, promotion, rollout, gate, name, blocked, action }: RolloutPanelProps) {
  const [aborting, setAborting] = useState(false)
  return (
    <>
      <StepTrack promotion={promotion} rollout={rollout} done={kind === 'promoted'} />
      {promotion.liveGate && (
        <LiveGateList
          live={promotion.liveGate}
          gate={{ ...gate, override: promotion.override }}
          done={kind === 'promoted'}
        />
      )}
      <div class="action-row">
        <RollbackButton promotion={promotion} action={action} blocked={blocked} />
        {kind === 'rollingOut' && blocked === null && (
          <button class="button" type="button" disabled={action.running} onClick={() => setAborting(true)}>
            Abort
          </button>
        )}
        <p class="muted">
          Requested by {promotion.requestedBy}
          {promotion.comment && (
            <>
              : “<VisibleText text={promotion.comment} />”
            </>
          )}
        </p>
      </div>
      {aborting && (
        <ConfirmDialog
          title={`Abort the rollout of ${name}?`}
          text="All live traffic returns to the primary at once. The candidate is mirrored again, as before."
          confirm="Stop the rollout"
          close={() => setAborting(false)}
          act={(comment) =>
            action.run(`/v1/promotions/${promotion.id}/abort`, { comment }, `The rollout of ${name} is aborted.`)
          }
        />
      )}
    </>
  )
}
