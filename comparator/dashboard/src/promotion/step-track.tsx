import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import type { Rollout } from '../../../../vocabulary/policy.ts'
import { formatPercent } from '../format/number.ts'
import { formatSpan } from '../format/time.ts'
import { Moment } from '../parts/moment.tsx'
import { useNow } from '../parts/use-now.ts'
import { liveReason } from './live-words.ts'

interface StepTrackProps {
  promotion: PromotionView
  rollout: Rollout
  done: boolean
}

/** The rollout's steps, the progress of the current one, and when the next is due. */
export function StepTrack({ promotion, rollout, done }: StepTrackProps) {
  const live = promotion.livePercent
  return (
    <div class="steps">
      <ol class="step-track" aria-label="Rollout steps, share of live traffic">
        {rollout.steps.map((percent) => {
          const phase = percent < live ? 'past' : percent === live ? 'now' : 'ahead'
          return (
            <li key={percent} class={`step step-${phase}`} aria-current={phase === 'now' ? 'step' : undefined}>
              <StepBar
                dueAt={phase === 'now' ? promotion.nextStepAt : null}
                durationMs={rollout.stepDuration}
                full={done || phase === 'past'}
              />
              <span class="step-percent">{formatPercent(percent)}</span>
              <span class="step-word">{phase === 'past' ? 'done' : phase === 'now' ? 'live now' : 'ahead'}</span>
            </li>
          )
        })}
      </ol>
      {done ? (
        <p>The candidate answers {formatPercent(promotion.livePercent)} of live traffic.</p>
      ) : (
        promotion.nextStepAt && (
          <NextStep
            promotion={promotion}
            at={promotion.nextStepAt}
            percent={rollout.steps.find((percent) => percent > live)}
          />
        )
      )}
    </div>
  )
}

function StepBar({ dueAt, durationMs, full }: { dueAt: string | null; durationMs: number; full: boolean }) {
  const now = useNow()
  const passed = dueAt === null ? 0 : 1 - (Date.parse(dueAt) - now) / durationMs
  const share = full ? 1 : Math.min(1, Math.max(0, passed))
  return (
    <span class="step-bar" aria-hidden="true">
      <span class="step-fill" style={{ width: `${share * 100}%` }} />
    </span>
  )
}

function NextStep({ promotion, at, percent }: { promotion: PromotionView; at: string; percent: number | undefined }) {
  const left = Date.parse(at) - useNow()
  const what = percent === undefined ? 'Promotion completes' : `Next step, ${formatPercent(percent)},`
  const pass = promotion.override ? 'the live gate passes' : 'both gates pass'
  const held = promotion.liveGate?.holds ? liveReason(promotion.liveGate) : null
  return (
    <p>
      {what} at <Moment at={at} clock />
      <span class="muted">
        {left > 0 ? `, in ${formatSpan(left)}, if ${pass}.` : held ? `, held: ${held}.` : `, due now, once ${pass}.`}{' '}
        The bar fills as the step’s time passes.
      </span>
    </p>
  )
}
