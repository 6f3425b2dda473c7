import type { ValidationView } from '../../../../vocabulary/api.ts'
import type { GateEvaluation } from '../../../../vocabulary/gate.ts'
import { stateWords } from '../format/words.ts'
import { Age } from '../parts/age.tsx'
import { EvidenceMeters } from '../parts/evidence-meters.tsx'
import { NothingArriving } from '../parts/nothing-arriving.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import { Versions } from '../parts/versions.tsx'
import { PromotionPanel } from '../promotion/promotion-panel.tsx'

interface DecisionBannerProps {
  validation: ValidationView
  gate: GateEvaluation | null
  /** The last refresh failed: nothing may be signed on old figures. */
  stale: boolean
  refresh: () => void
}

export function DecisionBanner({ validation, gate, stale, refresh }: DecisionBannerProps) {
  // the evaluation on screen is what an approver signs; the validation's own verdict serves until it is there
  const decision = gate ?? validation
  const { name, kind, state, livePercent, versions, lastObservationAt } = validation
  return (
    <section class={`banner banner-${decision.verdict}`} aria-labelledby="validation-name">
      <div class="banner-title">
        <h1 id="validation-name">{name}</h1>
        <dl class="facts facts-inline">
          <div>
            <dt>State</dt>
            <dd data-testid="state">{stateWords[state]}</dd>
          </div>
          <div>
            <dt>Live on the candidate</dt>
            <dd class="number" data-testid="live-percent">
              {livePercent} %
            </dd>
          </div>
          <div>
            <dt>Kind</dt>
            <dd>{kind}</dd>
          </div>
          <div>
            <dt>Models</dt>
            <dd>
              <Versions versions={versions} />
            </dd>
          </div>
          <div>
            <dt>Last observation</dt>
            <dd>
              {lastObservationAt === null ? <span class="no-data">none yet</span> : <Age at={lastObservationAt} />}
            </dd>
          </div>
        </dl>
      </div>
      <NothingArriving validation={validation} />
      <div class="banner-verdict">
        <div role="status" data-testid="verdict">
          <VerdictMark verdict={decision.verdict} large />
        </div>
        <p class="reason" data-testid="reason">
          {decision.reason}
        </p>
      </div>
      <EvidenceMeters window={gate?.window ?? validation.window} />
      <PromotionPanel
        validation={validation}
        gateId={gate?.id ?? null}
        verdict={decision.verdict}
        stale={stale}
        refresh={refresh}
      />
    </section>
  )
}
