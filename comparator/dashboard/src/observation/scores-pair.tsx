import { Fragment } from 'preact'
import type { ScoresPair } from '../../../../vocabulary/api/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { legs } from '../../../../vocabulary/leg.ts'
import { formatExact } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { givenApart, givenNames } from './given-apart.ts'
import { PairedBars } from './paired-bars.tsx'

/** Both sides' scores, largest first, and the label that each side chose. */
export function ScoresPairView({ pair, truth }: { pair: ScoresPair; truth: ObservationDetail['truth'] }) {
  const scores = pair.shown.flatMap(({ primary, candidate }) => [primary ?? 0, candidate ?? 0])
  const { given, scoreMin } = pair
  const said = {
    primary: given ? givenNames(given.primary) : pair.primary,
    candidate: given ? givenNames(given.candidate) : pair.candidate,
  }
  const trueLabel = truth !== null && 'label' in truth ? truth.label : null
  return (
    <>
      <p class="verdict-line">
        {(given ? givenApart(given) === '' : said.primary === said.candidate) ? (
          <>
            Both say{' '}
            <strong>
              <VisibleText text={said.primary} inline />
            </strong>
            .
          </>
        ) : (
          legs.map((leg) => (
            <Fragment key={leg}>
              <span class={`leg leg-${leg}`}>
                <span class="visually-hidden">{leg} says </span>
                <strong>
                  <VisibleText text={said[leg]} inline />
                </strong>
              </span>{' '}
            </Fragment>
          ))
        )}
      </p>
      {pair.shown.length > 0 && (
        <PairedBars
          caption="Scores of both sides by label"
          nameHead="Label"
          lowest={Math.min(0, ...scores)}
          highest={Math.max(1, ...scores)}
          least={scoreMin}
          format={(score) => score.toFixed(4).replace('-', '−')}
          rows={pair.shown.map(({ label, primary, candidate }) => ({
            key: label,
            name: (
              <>
                <VisibleText text={label} inline />
                {label === trueLabel && <span class="tag">true</span>}
              </>
            ),
            primary,
            candidate,
          }))}
        />
      )}
      {scoreMin && pair.shown.length > 0 && (
        <p class="muted">
          A label is given at{' '}
          {scoreMin.primary === scoreMin.candidate
            ? formatExact(scoreMin.primary)
            : `the primary’s ${formatExact(scoreMin.primary)} and the candidate’s ${formatExact(scoreMin.candidate)}`}{' '}
          or above (dotted line).
        </p>
      )}
      {pair.labels > pair.shown.length && (
        <p class="muted">
          The {pair.shown.length} largest of {pair.labels} labels.
        </p>
      )}
    </>
  )
}
