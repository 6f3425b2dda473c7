import type { ObservationView } from '../../../../vocabulary/api.ts'
import { formatMs, formatPlain } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { Moment } from '../parts/moment.tsx'
import { Answer } from './answer.tsx'
import { difference } from './difference.ts'
import { ObservationBodies } from './observation-bodies.tsx'
import { Thumbnail } from './thumbnail.tsx'
import { truthText } from './truth-text.ts'

interface DisagreementRowProps {
  observation: ObservationView
  open: boolean
  toggle: () => void
}

export function DisagreementRow({ observation, open, toggle }: DisagreementRowProps) {
  const { id, at, bodiesKept, primary, candidate, truth, disagreement, comparison, reason, correlationId } = observation
  const apart = difference(primary.answer, candidate.answer)
  const bodiesId = `bodies-${id}`
  return (
    <li class="disagreement" data-testid="observation">
      <Thumbnail id={id} kept={bodiesKept} />
      <div class="answers">
        <Answer leg="primary" outcome={primary} />
        <Answer leg="candidate" outcome={candidate} />
      </div>
      <dl class="facts disagreement-facts">
        <div>
          <dt>{apart === null ? 'Disagreement' : 'Difference'}</dt>
          <dd class="number">
            {comparison === 'failed'
              ? `failed: ${reasonWords(reason ?? 'no usable answer')}`
              : (apart ?? (disagreement === null ? '–' : formatPlain(disagreement)))}
          </dd>
        </div>
        <div>
          <dt>Truth</dt>
          <dd>{truth === null ? <span class="no-data">not known</span> : truthText(truth)}</dd>
        </div>
        <div>
          <dt>Latency</dt>
          <dd class="number">
            <span class="leg leg-primary">{formatMs(primary.totalMs)}</span>{' '}
            <span class="leg leg-candidate">{formatMs(candidate.totalMs)}</span>
          </dd>
        </div>
        <div>
          <dt>At</dt>
          <dd>
            <Moment at={at} />
            {correlationId && <code class="correlation">{correlationId}</code>}
          </dd>
        </div>
      </dl>
      <button class="button button-quiet" type="button" aria-expanded={open} aria-controls={bodiesId} onClick={toggle}>
        {open ? 'Close' : 'Details'}
      </button>
      <div id={bodiesId} class="bodies" hidden={!open}>
        {open && <ObservationBodies id={id} />}
      </div>
    </li>
  )
}
