import type { ValidationView } from '../../../../vocabulary/api.ts'
import { stateWords } from '../format/words.ts'
import { Age } from '../parts/age.tsx'
import { EvidenceMeters } from '../parts/evidence-meters.tsx'
import { NothingArriving } from '../parts/nothing-arriving.tsx'
import { VerdictMark } from '../parts/verdict-mark.tsx'
import { Versions } from '../parts/versions.tsx'
import { validationHref } from '../routing/hash-route.ts'

export function ValidationCard({ validation }: { validation: ValidationView }) {
  const { name, kind, state, livePercent, verdict, reason, window, versions, lastObservationAt, promotion } = validation
  return (
    <li class="card" data-testid={`validation-${name}`}>
      <VerdictMark verdict={verdict} />
      <div class="card-decision">
        <h2>
          <a href={validationHref(name)}>{name}</a>
        </h2>
        <p class="reason">{reason}</p>
        <NothingArriving validation={validation} />
        {promotion?.state === 'requested' && (
          <p class="pending-note">
            {promotion.requestedBy} asks to promote: {promotion.approvals.length} of {promotion.approvalsNeeded}{' '}
            approvals.
          </p>
        )}
        <dl class="facts">
          <div>
            <dt>State</dt>
            <dd>
              {stateWords[state]}, <span class="number">{livePercent} %</span> live
            </dd>
          </div>
          <div>
            <dt>Last observation</dt>
            <dd>
              {lastObservationAt === null ? <span class="no-data">none yet</span> : <Age at={lastObservationAt} />}
            </dd>
          </div>
          <div>
            <dt>Models, {kind}</dt>
            <dd>
              <Versions versions={versions} />
            </dd>
          </div>
        </dl>
      </div>
      <EvidenceMeters window={window} />
    </li>
  )
}
