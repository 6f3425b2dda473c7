import type { ComponentChildren } from 'preact'
import type { WindowView } from '../../../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { EvidenceWindowView } from '../../../../vocabulary/api/windows.ts'
import type { Polled } from '../api/use-polled.ts'
import { limitValue } from '../format/limit-text.ts'
import { formatCount } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { Moment } from '../parts/moment.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { PastWindows } from './past-windows.tsx'

interface PolicySectionProps {
  validation: ValidationView
  window: WindowView
  windows: Polled<EvidenceWindowView[]>
}

/** What was required, and of which models: the small print behind a signature. */
export function PolicySection({ validation, window, windows }: PolicySectionProps) {
  const { policy, versions } = validation
  return (
    <section class="section" aria-labelledby="policy">
      <SectionHeading id="policy">Policy, versions and windows</SectionHeading>
      <dl class="facts facts-table">
        <Fact name="Window judged">
          {window.from === null || window.to === null ? (
            <span class="no-data">not begun</span>
          ) : (
            <>
              <Moment at={window.from} /> to <Moment at={window.to} />
            </>
          )}
        </Fact>
        <Fact name="Needed">
          {formatSpan(window.durationMs)}, {formatCount(window.samplesMin)} samples,{' '}
          {limitValue(window.coverageMin, 'share')} coverage
          {policy.ageMaxMs !== null && `, the newest exchange at most ${formatSpan(policy.ageMaxMs)} old`}
        </Fact>
        <Fact name="Buckets">
          {formatCount(window.buckets)} of {formatSpan(window.bucketMs)}
        </Fact>
        <Fact name="Confidence">{policy.confidence * 100} % for each check, however often someone looks</Fact>
        <Fact name="Approvals needed">
          {policy.approvals}
          {policy.requesterApproves === false && ', not counting the requester’s'}
        </Fact>
        <Fact name="Rollout">
          {policy.rollout.steps.map((step) => `${step} %`).join(' → ')}, {formatSpan(policy.rollout.stepDuration)} each
          {policy.rollout.reverseShadow ? '; the primary shadows what the candidate answers' : ''}
        </Fact>
        <Fact name="Bodies kept">{policy.storeBodies}</Fact>
        <Fact name="Primary">{versions.primary ?? <span class="no-data">version not reported</span>}</Fact>
        <Fact name="Candidate">{versions.candidate ?? <span class="no-data">version not reported</span>}</Fact>
        <Fact name="Primary’s digest">
          <Digest digest={versions.primaryDigest} />
        </Fact>
        <Fact name="Candidate’s digest">
          <Digest digest={versions.candidateDigest} />
        </Fact>
        <Fact name="Policy’s digest">
          <code>{window.policyDigest}</code>
        </Fact>
      </dl>
      <h3 id="windows">Windows of evidence</h3>
      <PastWindows validation={validation.name} windows={windows} />
    </section>
  )
}

function Digest({ digest }: { digest: string | null }) {
  return digest === null ? <span class="no-data">not reported</span> : <code>{digest}</code>
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
