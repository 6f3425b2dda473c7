import type { ValidationView } from '../../../../vocabulary/api.ts'
import type { Verdict } from '../../../../vocabulary/gate.ts'
import { useSession } from '../session/session-context.ts'
import { DecideForm } from './decide-form.tsx'
import { offerOf } from './offer-of.ts'
import { PastPromotion } from './past-promotion.tsx'
import { RequestForm } from './request-form.tsx'
import { RolloutPanel } from './rollout-panel.tsx'
import { useAction } from './use-action.ts'

interface PromotionPanelProps {
  validation: ValidationView
  /** Of the evaluation on screen: what a request binds. */
  gateId: string | null
  verdict: Verdict
  stale: boolean
  refresh: () => void
}

export function PromotionPanel({ validation, gateId, verdict, stale, refresh }: PromotionPanelProps) {
  const reader = useSession()
  const action = useAction(refresh)
  const offer = offerOf({ validation, verdict, gateId, stale, reader })
  return (
    <div class="promotion" data-testid="promotion">
      {offer.kind === 'request' && (
        <>
          {validation.promotion && <PastPromotion promotion={validation.promotion} />}
          <RequestForm validation={validation} gateId={gateId} blocked={offer.blocked} action={action} />
        </>
      )}
      {offer.kind === 'decide' && <DecideForm {...offer} gateId={gateId} action={action} />}
      {(offer.kind === 'rollingOut' || offer.kind === 'promoted') && (
        <RolloutPanel {...offer} rollout={validation.policy.rollout} name={validation.name} action={action} />
      )}
      {action.problem && (
        <p class="form-problem" role="alert">
          {action.problem}
        </p>
      )}
    </div>
  )
}
