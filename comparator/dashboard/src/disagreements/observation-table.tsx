import type { ObservationView } from '../../../../vocabulary/observation-view.ts'
import type { OutputKind } from '../../../../vocabulary/output-kind.ts'
import { formatMs } from '../format/number.ts'
import { formatUtc, formatUtcClock, formatZones } from '../format/time.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { Answer } from './answer.tsx'
import { apartWords, isRight } from './apart.ts'
import { Thumbnail } from './thumbnail.tsx'
import { truthText } from './truth-text.ts'

interface ObservationTableProps {
  caption: string
  observations: ObservationView[]
  kind: OutputKind
  hrefOf: (id: string) => string
  /** Before the way to one of them is taken. */
  leave?: (id: string) => void
}

/** Both answers of each observation in a row, which as a whole leads to the two side by side. */
export function ObservationTable({ caption, observations, kind, hrefOf, leave }: ObservationTableProps) {
  const withTruth = observations.some(({ truth }) => truth !== null)
  return (
    <table class="observations">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Input</th>
          <th scope="col">
            <span class="leg leg-primary">Primary</span>
          </th>
          <th scope="col">
            <span class="leg leg-candidate">Candidate</span>
          </th>
          <th scope="col">Apart</th>
          {withTruth && <th scope="col">Truth</th>}
          <th scope="col" class="numeric">
            Latency
          </th>
          <th scope="col" class="numeric">
            At, UTC
          </th>
        </tr>
      </thead>
      <tbody>
        {observations.map((observation) => (
          <Row key={observation.id} {...{ observation, kind, hrefOf, leave, withTruth }} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<ObservationTableProps, 'kind' | 'hrefOf' | 'leave'> {
  observation: ObservationView
  withTruth: boolean
}

function Row({ observation, kind, hrefOf, leave, withTruth }: RowProps) {
  const { id, at, bodiesKept, primary, candidate, truth, comparison, live, correlationId } = observation
  const apart = apartWords(kind, observation)
  return (
    <tr class={`observation observation-${comparison}`} data-testid="observation">
      <td class="cell-input">
        <Thumbnail id={id} kept={bodiesKept} />
      </td>
      <td class="cell-answer" data-label="Primary">
        <Answer outcome={primary} right={isRight(truth, primary.answer)} />
      </td>
      <td class="cell-answer" data-label="Candidate">
        <Answer outcome={candidate} right={isRight(truth, candidate.answer)} />
      </td>
      <th scope="row" class="cell-apart">
        <a
          id={`observation-${id}`}
          href={hrefOf(id)}
          aria-label={`Observation of ${formatUtc(at)}: ${apart}`}
          onClick={leave && (() => leave(id))}
        >
          {apart}
        </a>
        {comparison !== 'compared' && <span class="tag">{comparison}</span>}
        {live === 'candidate' && <span class="tag">live</span>}
      </th>
      {withTruth && (
        <td class="cell-truth" data-label="Truth">
          {truth === null ? <span class="muted">–</span> : <VisibleText text={truthText(truth)} inline />}
        </td>
      )}
      <td class="cell-latency numeric" data-label="Latency">
        <span class="leg leg-primary">{formatMs(primary.totalMs)}</span>
        <span class="leg leg-candidate">{formatMs(candidate.totalMs)}</span>
      </td>
      <td class="cell-at numeric">
        <time dateTime={at} title={formatZones(at).join(' · ')}>
          <span class="muted">{at.slice(0, 10)}</span> {formatUtcClock(at).replace(' UTC', '')}
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
