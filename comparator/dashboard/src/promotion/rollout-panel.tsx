import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import type { Rollout } from '../../../../vocabulary/policy.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { LiveGateList } from './live-gate-list.tsx'
import { RollbackButton } from './rollback-button.tsx'
import { StepTrack } from './step-track.tsx'
import type { Action } from './use-action.ts'

interface RolloutPanelProps {
  kind: 'rollingOut' | 'promoted'
  promotion: PromotionView
  rollout: Rollout
  /** The window's gate, worded as in its banner. */
  gate: { verdict: Verdict; sentence: string }
  blocked: string | null
  action: Action
}

/** For a rollout in progress or completed: what guards it, and how to roll back. */
export function RolloutPanel({ kind, promotion, rollout, gate, blocked, action }: RolloutPanelProps) {
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
        {blocked === null ? <RollbackButton promotion={promotion} action={action} /> : <p class="blocked">{blocked}</p>}
        <p class="muted">
          Requested by {promotion.requestedBy}
          {promotion.comment && (
            <>
              : “<VisibleText text={promotion.comment} />”
            </>
          )}
        </p>
      </div>
    </>
  )
}
