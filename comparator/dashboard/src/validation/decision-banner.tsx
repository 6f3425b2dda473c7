import type { GateEvaluation } from '../../../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { Polled } from '../api/use-polled.ts'
import { formatPercent } from '../format/number.ts'
import { stateWords } from '../format/words.ts'
import { Age } from '../parts/age.tsx'
import { EvidenceMeters } from '../parts/evidence-meters.tsx'
import { Moment } from '../parts/moment.tsx'
import { NothingArriving } from '../parts/nothing-arriving.tsx'
import { NothingCompared } from '../parts/nothing-compared.tsx'
import { UnsteadyVersions } from '../parts/unsteady-versions.tsx'
import { VerdictMark, WaitingMark } from '../parts/verdict-mark.tsx'
import { Versions } from '../parts/versions.tsx'
import { LiveHarm } from '../promotion/live-harm.tsx'
import { PromotionPanel } from '../promotion/promotion-panel.tsx'
import { isNoiseFloor } from '../verdict/noise-floor.ts'
import { standstillOf } from '../verdict/standstill.ts'
import { validationSentence, verdictSentence } from '../verdict/verdict-sentence.ts'

interface DecisionBannerProps {
  validation: ValidationView
  gate: Polled<GateEvaluation>
  /** The last refresh failed: nothing may be signed on old figures. */
  stale: boolean
  refresh: () => void
}

/** The verdict and the sentence that decides it, from the evaluation that an approver signs. */
export function DecisionBanner({ validation, gate, stale, refresh }: DecisionBannerProps) {
  const evaluation = gate.data
  // until the evaluation has loaded, the validation's own verdict (from the same gate) is shown
  const { verdict } = evaluation ?? validation
  const sentence =
    evaluation === null || isNoiseFloor(validation)
      ? validationSentence(validation)
      : verdictSentence(evaluation, standstillOf(validation))
  return (
    <section class={`banner banner-${verdict}${stale ? ' banner-stale' : ''}`} aria-labelledby="validation-name">
      <h1 id="validation-name">{validation.name}</h1>
      <LiveHarm promotion={validation.promotion} stale={stale} />
      <div class="banner-verdict">
        <div class="banner-word">
          <div role="status" data-testid="verdict">
            {isNoiseFloor(validation) ? (
              <WaitingMark word="Noise floor" large />
            ) : (
              <VerdictMark verdict={verdict} large />
            )}
          </div>
          {stale && gate.confirmedAt !== null && (
            <span class="stale-tag">
              as of <Moment at={gate.confirmedAt} clock />, not being updated
            </span>
          )}
        </div>
        <p class="reason" data-testid="reason">
          {sentence}
        </p>
        <p class="banner-source">
          {evaluation === null ? (
            'Loading the evaluation…'
          ) : (
            <>
              Judged <Moment at={evaluation.at} />, with bounds of {validation.policy.confidence * 100} % confidence
            </>
          )}
        </p>
      </div>
      <NothingArriving validation={validation} />
      <NothingCompared validation={validation} />
      <UnsteadyVersions validation={validation} />
      <Facts validation={validation} />
      <EvidenceMeters window={evaluation?.window ?? validation.window} />
      <PromotionPanel validation={validation} gate={evaluation} sentence={sentence} stale={stale} refresh={refresh} />
    </section>
  )
}

function Facts({ validation }: { validation: ValidationView }) {
  const { kind, state, livePercent, versions, lastObservationAt } = validation
  return (
    <dl class="facts facts-inline">
      <div>
        <dt>State</dt>
        <dd data-testid="state">{stateWords[state]}</dd>
      </div>
      <div>
        <dt>Live on the candidate</dt>
        <dd class="number" data-testid="live-percent">
          {formatPercent(livePercent)}
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
        <dd>{lastObservationAt === null ? <span class="no-data">none yet</span> : <Age at={lastObservationAt} />}</dd>
      </div>
    </dl>
  )
}
