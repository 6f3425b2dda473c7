import type { ValidationView } from '../../../../vocabulary/api.ts'
import type { WindowView } from '../../../../vocabulary/gate.ts'
import { formatCount } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { Moment } from '../parts/moment.tsx'

/** What was demanded, and of which models: the small print that a signature needs. */
export function PolicySection({ validation, window }: { validation: ValidationView; window: WindowView }) {
  const { policy, versions } = validation
  return (
    <section class="section" aria-labelledby="policy">
      <h2 id="policy">Policy and window</h2>
      <dl class="facts facts-table">
        <div>
          <dt>Window</dt>
          <dd>
            {window.from === null || window.to === null ? (
              <span class="no-data">not begun</span>
            ) : (
              <>
                <Moment at={window.from} /> to <Moment at={window.to} />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Buckets</dt>
          <dd>
            {formatCount(window.buckets)} of {formatSpan(window.bucketMs)}
          </dd>
        </div>
        <div>
          <dt>Confidence</dt>
          <dd>{policy.confidence * 100} % for each check</dd>
        </div>
        <div>
          <dt>Approvals needed</dt>
          <dd>{policy.approvals}</dd>
        </div>
        <div>
          <dt>Rollout</dt>
          <dd>
            {policy.rollout.steps.map((step) => `${step} %`).join(' → ')}, {formatSpan(policy.rollout.stepDuration)}{' '}
            each
            {policy.rollout.reverseShadow ? '; the primary shadows what the candidate answers' : ''}
          </dd>
        </div>
        <div>
          <dt>Bodies kept</dt>
          <dd>{policy.storeBodies}</dd>
        </div>
        <div>
          <dt>Candidate’s digest</dt>
          <dd>
            {versions.candidateDigest ? (
              <code>{versions.candidateDigest}</code>
            ) : (
              <span class="no-data">not reported</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Policy’s digest</dt>
          <dd>
            <code>{window.policyDigest}</code>
          </dd>
        </div>
      </dl>
    </section>
  )
}
