import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { serverNow } from '../api/server-clock.ts'
import { formatCounted } from '../format/number.ts'
import { mirrorCommand, mirrorConfig, requestCommand } from '../mirrors/mirror-config.ts'
import { useMirrors } from '../mirrors/mirrors-context.tsx'
import { TokenSnippet } from '../mirrors/token-snippet.tsx'
import { Snippet } from '../parts/snippet.tsx'
import { observationCommand } from './observation-command.ts'
import { type Progress, progressOf } from './progress.ts'

/** Shown on an empty comparator: three steps to the first observation, each ticked off automatically. */
export function FirstRun({ validations }: { validations: ValidationView[] }) {
  const mirrors = useMirrors()
  const [chosen, setChosen] = useState<string | null>(null)
  const validation = validations.find(({ name }) => name === chosen) ?? validations[0]
  const name = validation?.name ?? 'my-candidate'
  const progress = progressOf(name, validation !== undefined, mirrors.data?.mirrors ?? [])
  return (
    <section class="first-run" aria-labelledby="first-run">
      <h2 id="first-run">Get your first pair</h2>
      <ol class="first-steps">
        <Step number={1} state={progress.validation} title="Configure a validation">
          {validation === undefined ? (
            <>
              <p>
                A validation measures one candidate against one primary. Add it to the comparator’s configuration and
                restart:
              </p>
              <Snippet title="comparator.yaml" text={comparatorExample} />
            </>
          ) : (
            <Chosen validations={validations} name={name} choose={setChosen} />
          )}
        </Step>
        <Step number={2} state={progress.mirror} title="Put a mirror in front of your app server">
          {progress.mirror === 'done' ? (
            <p class="step-state">
              {progress.mirrorName} reports, and mirrors for {name}.
            </p>
          ) : (
            <>
              <p>
                It forwards every request unchanged and sends copies to the candidate. Change the two addresses; the
                comparator’s is already right.
              </p>
              <TokenSnippet />
              <Snippet title="mirror.yaml" text={mirrorConfig(location.origin, name)} />
              <Snippet title="start it in the same shell" text={mirrorCommand} />
            </>
          )}
        </Step>
        <Step number={3} state={progress.exchange} title="Send a request through the mirror">
          {progress.exchange === 'done' ? (
            <p class="step-state">
              {formatCounted(progress.seen, 'exchange')} seen. The pair appears once both sides have answered.
            </p>
          ) : (
            <>
              <p>Any request that your app server accepts, on the route from step 2.</p>
              <Snippet title="a request" text={requestCommand(name)} />
            </>
          )}
          <p class="step-state" role="status">
            <Waiting /> Waiting for the first pair. It appears here by itself.
          </p>
        </Step>
      </ol>
      {validation !== undefined && <ByHand validation={validation} />}
    </section>
  )
}

/** For users without a mirror: delivers what one would have. */
function ByHand({ validation }: { validation: ValidationView }) {
  const { name, policy } = validation
  const fresh = () =>
    observationCommand(location.origin, { name, output: policy.output }, { now: serverNow(), random: Math.random })
  const text = useMemo(fresh, [name])
  return (
    <details>
      <summary>No mirror yet? Deliver one pair yourself</summary>
      <p class="muted">
        Set <code>UNDERSTUDY_INGEST_TOKEN</code> to a token of role ingest; step 2 makes one. Anything can deliver pairs
        this way, including your own gateway.
      </p>
      <Snippet title="one pair" text={text} fresh={fresh} />
    </details>
  )
}

interface ChosenProps {
  validations: ValidationView[]
  name: string
  choose: (name: string) => void
}

function Chosen({ validations, name, choose }: ChosenProps) {
  if (validations.length === 1) {
    return (
      <p class="step-state">
        <span>{name} is configured.</span>
      </p>
    )
  }
  return (
    <label class="picker">
      For
      <select value={name} onChange={(event) => choose(event.currentTarget.value)}>
        {validations.map((validation) => (
          <option key={validation.name}>{validation.name}</option>
        ))}
      </select>
    </label>
  )
}

interface StepProps {
  number: number
  state: Progress['mirror']
  title: string
  children: ComponentChildren
}

function Step({ number, state, title, children }: StepProps) {
  return (
    <li class={`first-step step-${state}`} data-state={state}>
      <span class="step-mark">
        {state === 'done' ? (
          <svg viewBox="0 0 16 16" role="img" aria-label="done">
            <path d="M3.5 8.5 6.5 11.5 12.5 4.8" />
          </svg>
        ) : (
          number
        )}
      </span>
      <div class="step-body">
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  )
}

function Waiting() {
  return <span class="waiting" aria-hidden="true" />
}

const comparatorExample = `comparator:
  # tokens: add the line that step 2 prints
  validations:
    - name: my-candidate
      output: { kind: classification, scores: /predictions, labels: [cat, dog] }
      window: { duration: 7d, samplesMin: 10000, coverageMin: 0.95 }
      gate:
        - { metric: agreement, min: 0.99 }
        - { metric: latency.candidate.p99, max: 250 }
`
