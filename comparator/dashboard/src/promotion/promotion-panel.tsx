import { useLayoutEffect, useRef } from 'preact/hooks'
import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { PromotionRecords } from '../../../../vocabulary/api/promotion-record.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { useSession } from '../api/session-context.ts'
import { usePolled } from '../api/use-polled.ts'
import { standstillOf } from '../verdict/standstill.ts'
import { ActionOutcome } from './action-outcome.tsx'
import { DecideForm } from './decide-form.tsx'
import { type Offer, offerOf } from './offer-of.ts'
import { OverrideBanner } from './override-banner.tsx'
import { OverrideForm } from './override-form.tsx'
import { PromotionHistory } from './promotion-history.tsx'
import { RequestForm } from './request-form.tsx'
import { RolloutPanel } from './rollout-panel.tsx'
import { useAction } from './use-action.ts'
import { wayToPass } from './way-to-pass.ts'

interface PromotionPanelProps {
  validation: ValidationView
  /** The evaluation on screen, to which a signature is bound. */
  gate: GateEvaluation | null
  /** The verdict as a sentence, as in the banner. */
  sentence: string
  /** The last refresh failed. */
  stale: boolean
  refresh: () => void
}

const titles: Record<Offer['kind'], string> = {
  request: 'Promotion',
  decide: 'A promotion awaits approval',
  rollingOut: 'Rolling out',
  promoted: 'Promoted',
}

/** Where the decision is made: what the reader may do now, on the evaluation that they see. */
export function PromotionPanel({ validation, gate, sentence, stale, refresh }: PromotionPanelProps) {
  const reader = useSession()
  const { name, policy } = validation
  const path = `/v1/promotions?validation=${encodeURIComponent(name)}`
  const history = usePolled<PromotionRecords>(path, () => path)
  const action = useAction(() => {
    refresh()
    history.refresh()
  })
  const verdict = gate?.verdict ?? validation.verdict
  const way = wayToPass({ verdict, checks: gate?.checks ?? [] }, standstillOf(validation))
  const offer = offerOf({ validation, verdict, gateId: gate?.id ?? null, way, stale, reader })
  /** A form, and what is written in it, is about one promotion. */
  const promotion = 'promotion' in offer ? offer.promotion.id : null
  const heading = useFocusAfter(`${offer.kind} ${promotion}`, action.done !== null)
  const records = history.data?.promotions ?? []
  const difference = offer.kind === 'request' || offer.kind === 'decide' ? validation.differenceToClients : null
  return (
    <section class="promotion" aria-labelledby="promotion" data-testid="promotion">
      <OverrideBanner records={records} shown={promotion} />
      <h2 id="promotion" ref={heading} tabIndex={-1}>
        {titles[offer.kind]}
      </h2>
      {difference !== null && <p>{difference}</p>}
      {offer.kind === 'request' && (
        <>
          <RequestForm validation={validation} gate={gate} blocked={offer.blocked} action={action} />
          {offer.override && gate && <OverrideForm name={name} evaluation={gate} action={action} />}
        </>
      )}
      {offer.kind === 'decide' && (
        <DecideForm
          key={promotion}
          {...offer}
          requesterApproves={policy.requesterApproves ?? true}
          gate={gate}
          action={action}
        />
      )}
      {(offer.kind === 'rollingOut' || offer.kind === 'promoted') && (
        <RolloutPanel
          key={promotion}
          {...offer}
          rollout={policy.rollout}
          gate={{ verdict, sentence }}
          action={action}
        />
      )}
      <ActionOutcome action={action} />
      <PromotionHistory records={records} />
    </section>
  )
}

/**
 * A form that was submitted, or whose question someone else has answered, disappears together with the focus, so the
 * focus moves to the heading of what replaces it.
 */
function useFocusAfter(form: string, acted: boolean) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(form)
  // read before the form is replaced
  const held = heading.current?.parentElement?.contains(document.activeElement) ?? false
  useLayoutEffect(() => {
    const isReplaced = before.current !== form && document.activeElement === document.body
    if (isReplaced && (acted || held)) heading.current?.focus()
    before.current = form
  }, [form, acted, held])
  return heading
}
