import { Component, type ComponentChildren } from 'preact'
import type { ObservationView } from '../../../../vocabulary/api/observation-view.ts'
import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'
import { formatMs } from '../format/number.ts'
import { formatUtc, formatUtcClock, formatZones } from '../format/time.ts'
import { Answer } from '../observation/answer.tsx'
import { apartWords, isRight } from '../observation/apart.ts'
import { truthText } from '../observation/truth-text.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { Thumbnail } from './thumbnail.tsx'

export interface ObservationRowProps {
  kind: OutputKind
  hrefOf: (id: string) => string
  /** Called before the reader follows a link to an observation. */
  leave?: ((id: string) => void) | undefined
  observation: ObservationView
  failed: boolean
  withTruth: boolean
  apartSpan: number
}

const shown = ['observation', 'kind', 'failed', 'withTruth', 'apartSpan'] as const

/** Drawn again only if what it shows has changed: a reader may have ten thousand of them. */
export class ObservationRow extends Component<ObservationRowProps> {
  override shouldComponentUpdate(next: ObservationRowProps) {
    return shown.some((part) => next[part] !== this.props[part])
  }
  override render(props: ObservationRowProps) {
    return <Row {...props} />
  }
}

/** A longer truth widens its column. */
const truthLettersMax = 24

function Row({ observation, kind, failed, hrefOf, leave, withTruth, apartSpan }: ObservationRowProps) {
  const { id, at, bodiesKept, primary, candidate, truth, comparison, live, correlationId, given } = observation
  const apart = apartWords(kind, observation)
  // the candidate's column says why it gave no answer
  const isSaid = comparison === 'failed' && candidate.answer === null
  const truthWords = truth === null ? '' : truthText(truth)
  const way = (words: ComponentChildren) => (
    <a
      id={`observation-${id}`}
      href={hrefOf(id)}
      aria-label={`Observation of ${formatUtc(at)}: ${isSaid ? `failed: ${apart}` : apart}`}
      onClick={leave && (() => leave(id))}
    >
      {words}
    </a>
  )
  const candidates = <Answer outcome={candidate} right={isRight(truth, candidate.answer)} given={given?.candidate} />
  const liveTag = live === 'candidate' && <span class="tag">live</span>
  return (
    <tr class={`observation observation-${comparison}`} data-testid="observation">
      <td class="cell-input">
        <Thumbnail id={id} kept={bodiesKept} />
      </td>
      <td class="cell-answer" data-label="Primary">
        <Answer outcome={primary} right={isRight(truth, primary.answer)} given={given?.primary} />
      </td>
      {failed ? (
        <th scope="row" class="cell-answer cell-way" data-label="Candidate" colSpan={1 + apartSpan}>
          {way(candidates)}
          {liveTag}
        </th>
      ) : (
        <>
          <td class="cell-answer" data-label="Candidate">
            {candidates}
          </td>
          <th scope="row" class="cell-apart cell-way" colSpan={apartSpan}>
            {way(isSaid ? 'failed' : <VisibleText text={apart} inline />)}
            {comparison !== 'compared' && !isSaid && <span class="tag">{comparison}</span>}
            {liveTag}
          </th>
        </>
      )}
      {withTruth && (
        <td
          class={truthWords.length > truthLettersMax ? 'cell-truth cell-truth-long' : 'cell-truth'}
          data-label="Truth"
        >
          {truth === null ? <span class="muted">–</span> : <VisibleText text={truthWords} inline />}
        </td>
      )}
      <td class="cell-latency numeric" data-label="Latency">
        <span class="leg leg-primary">{formatMs(primary.totalMs)}</span>
        <span class="leg leg-candidate">{formatMs(candidate.totalMs)}</span>
      </td>
      <td class="cell-at numeric">
        <time dateTime={at} title={formatZones(at).join(' · ')}>
          <span class="muted">{at.slice(0, 10)}</span> {formatUtcClock(at).replace(/\sUTC$/, '')}
        </time>
        {correlationId && (
          <code class="correlation" title="Correlation id">
            <VisibleText text={correlationId} inline />
          </code>
        )}
      </td>
    </tr>
  )
}
