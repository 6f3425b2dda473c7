import type { PromotionView } from '../../../../vocabulary/api.ts'
import type { Rollout } from '../../../../vocabulary/policy.ts'
import { formatSpan } from '../format/time.ts'
import { Moment } from '../parts/moment.tsx'
import { useNow } from '../parts/use-now.ts'

interface StepTrackProps {
  promotion: PromotionView
  rollout: Rollout
  done: boolean
}

/** The rollout's steps, the one that is live now, and when the next is due. */
export function StepTrack({ promotion, rollout, done }: StepTrackProps) {
  const current = promotion.step ?? -1
  return (
    <div class="steps">
      <ol class="step-track" aria-label="Rollout steps, share of live traffic">
        {rollout.steps.map((percent, index) => {
          const phase = done || index < current ? 'past' : index === current ? 'now' : 'ahead'
          return (
            <li key={percent} class={`step step-${phase}`} aria-current={phase === 'now' ? 'step' : undefined}>
              <span class="step-percent">{percent} %</span>
              <span class="step-word">{phase === 'past' ? 'done' : phase === 'now' ? 'live now' : 'ahead'}</span>
            </li>
          )
        })}
      </ol>
      {done ? (
        <p>The candidate answers {promotion.livePercent} % of live traffic.</p>
      ) : (
        promotion.nextStepAt && <NextStep at={promotion.nextStepAt} percent={rollout.steps[current + 1]} />
      )}
    </div>
  )
}

function NextStep({ at, percent }: { at: string; percent: number | undefined }) {
  const left = Date.parse(at) - useNow()
  return (
    <p>
      {percent === undefined ? 'Promoted for good' : `Next step, ${percent} %,`} at <Moment at={at} clock />
      <span class="muted">{left > 0 ? `, in ${formatSpan(left)}` : ', due now'}, while the gate does not fail</span>
    </p>
  )
}
