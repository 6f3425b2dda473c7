import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { limitText, limitValue } from '../format/limit-text.ts'
import { noBreak } from '../format/no-break.ts'
import { formatCount, formatPercent, formatShare } from '../format/number.ts'
import { formatLargest, formatSpan } from '../format/time.ts'
import { stateWords } from '../format/words.ts'
import { Age } from '../parts/age.tsx'
import { NothingArriving } from '../parts/nothing-arriving.tsx'
import { NothingCompared } from '../parts/nothing-compared.tsx'
import { UnsteadyVersions } from '../parts/unsteady-versions.tsx'
import { useNow } from '../parts/use-now.ts'
import { VerdictMark, WaitingMark } from '../parts/verdict-mark.tsx'
import { harmOf } from '../promotion/live-words.ts'
import { validationHref } from '../routing/hash-route.ts'
import { isNoiseFloor } from '../verdict/noise-floor.ts'
import { validationSentence } from '../verdict/verdict-sentence.ts'
import { needOf } from './needs.ts'
import { Sparkline } from './sparkline.tsx'
import { ThinBar } from './thin-bar.tsx'
import { timeLeft } from './time-left.ts'

/** One validation as a row of the overview. The whole row is a link, but only the name is a tab stop. */
export function ValidationRow({ validation }: { validation: ValidationView }) {
  const { name, verdict, glance, window, promotion } = validation
  return (
    <li class="row" data-testid={`validation-${name}`} data-need={needOf(validation) ?? undefined}>
      {isNoiseFloor(validation) ? <WaitingMark word="Noise floor" /> : <VerdictMark verdict={verdict} />}
      <div class="row-decision">
        <h3>
          <a href={validationHref(name)}>{name}</a>
        </h3>
        <NeedLine validation={validation} />
        <p class="row-reason">{harmOf(promotion) ?? validationSentence(validation)}</p>
        <NothingArriving validation={validation} />
        <NothingCompared validation={validation} />
        <UnsteadyVersions validation={validation} />
      </div>
      <Sparkline deciding={glance.deciding} decides={glance.decides} window={window} />
      <dl class="row-figures">
        <Coverage validation={validation} />
        <Rate validation={validation} />
        <Left validation={validation} />
        <Rollout validation={validation} />
      </dl>
    </li>
  )
}

/** What a person is asked to do, in a few words before the reason. Missing traffic has its own alarm. */
function NeedLine({ validation }: { validation: ValidationView }) {
  const { promotion } = validation
  switch (needOf(validation)) {
    case 'rollback':
      return (
        <p class="row-need row-need-urgent">
          Serving clients while {harmOf(promotion) === null ? 'its gate fails' : 'its live gate sees harm'}: roll it
          back?
        </p>
      )
    case 'approval':
      return (
        <p class="row-need">
          {promotion!.requestedBy} asks to promote: {promotion!.approvals.length} of {promotion!.approvalsNeeded}{' '}
          approvals
        </p>
      )
    case 'decision':
      return <p class="row-need">Ready: request promotion</p>
    case 'repair':
      return <p class="row-need">Not good enough: needs a better candidate or a different limit</p>
    default:
      return null
  }
}

function Coverage({ validation: { coverage, window } }: { validation: ValidationView }) {
  const { coverageMin } = window
  return (
    <div>
      <dt>Coverage</dt>
      <dd>
        {coverage === null ? (
          <NoData />
        ) : (
          <>
            <span class="figure-main">{formatShare(coverage, coverageMin)}</span>
            <ThinBar share={coverage} needAt={coverageMin} short={coverage < coverageMin} />
            <span class="figure-note">
              {coverage < coverageMin
                ? `short of ${limitValue(coverageMin, 'share')}`
                : limitText({ min: coverageMin }, 'share')}
            </span>
          </>
        )}
      </dd>
    </div>
  )
}

function Rate({ validation: { glance, lastObservationAt } }: { validation: ValidationView }) {
  const { samplesPerMinute } = glance
  return (
    <div>
      <dt>Samples a minute</dt>
      <dd>
        {samplesPerMinute === null ? (
          <NoData />
        ) : (
          <>
            <span class="figure-main">
              {rateText(samplesPerMinute)}
              <span class="unit">{noBreak(' /min')}</span>
            </span>
            <span class="figure-note">{lastObservationAt !== null && <Age at={lastObservationAt} />}</span>
          </>
        )}
      </dd>
    </div>
  )
}

function rateText(rate: number): string {
  return rate > 0 && rate < 10 ? rate.toFixed(1) : formatCount(rate)
}

const leftWords = { complete: 'complete', held: 'held', stalled: 'stalled', beyond: 'not at this rate' } as const
const awaited = { window: 'to a full window', samples: 'to enough samples', bound: 'to a verdict, about' } as const

function Left({ validation }: { validation: ValidationView }) {
  const { window } = validation
  const left = timeLeft(validation)
  const isDecided = validation.state === 'rejected' || validation.state === 'rolledBack'
  return (
    <div>
      <dt>Time left</dt>
      <dd>
        {left.kind === 'none' || isDecided ? (
          <NoData words={isDecided ? 'decided' : undefined} />
        ) : (
          <>
            <span class="figure-main">{left.kind === 'left' ? formatSpan(left.ms) : leftWords[left.kind]}</span>
            <ThinBar
              share={Math.min(1, window.spannedMs / window.durationMs)}
              short={left.kind === 'stalled' || left.kind === 'beyond'}
            />
            <span class="figure-note">
              {left.kind === 'left'
                ? awaited[left.for]
                : `${formatLargest(window.spannedMs)} of ${formatSpan(window.durationMs)}`}
            </span>
          </>
        )}
      </dd>
    </div>
  )
}

function Rollout({ validation }: { validation: ValidationView }) {
  const { state, livePercent, promotion } = validation
  const nextStepAt = state === 'rollingOut' ? (promotion?.nextStepAt ?? null) : null
  return (
    <div>
      <dt>Rollout</dt>
      <dd>
        <span class="figure-main">{stateWords[state]}</span>
        {livePercent > 0 && <ThinBar share={livePercent / 100} live />}
        <span class="figure-note">
          {formatPercent(livePercent)} live
          {nextStepAt !== null && <NextStep at={nextStepAt} />}
        </span>
      </dd>
    </div>
  )
}

/** An overdue step may wait a long time, until an undecided gate passes. */
function NextStep({ at }: { at: string }) {
  const left = Date.parse(at) - useNow()
  return (
    <>
      , next <span class="next-step">{left > 0 ? `in ${formatSpan(left)}` : 'step due'}</span>
    </>
  )
}

function NoData({ words = 'no data' }: { words?: string | undefined }) {
  return <span class="figure-main no-data">{words}</span>
}
