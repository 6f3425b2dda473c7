import type { ScoresPair } from '../../../../vocabulary/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/observation-detail.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { PairedBars } from './paired-bars.tsx'

/** Both sides' scores, the greatest first, and what each side took for its label. */
export function ScoresPairView({ pair, truth }: { pair: ScoresPair; truth: ObservationDetail['truth'] }) {
  const scores = pair.shown.flatMap(({ primary, candidate }) => [primary ?? 0, candidate ?? 0])
  const trueLabel = truth !== null && 'label' in truth ? truth.label : null
  return (
    <>
      <p class="verdict-line">
        {pair.primary === pair.candidate ? (
          <>
            Both say{' '}
            <strong>
              <VisibleText text={pair.primary} inline />
            </strong>
            .
          </>
        ) : (
          <>
            <span class="leg leg-primary">
              <span class="visually-hidden">primary says </span>
              <strong>
                <VisibleText text={pair.primary} inline />
              </strong>
            </span>{' '}
            <span class="leg leg-candidate">
              <span class="visually-hidden">candidate says </span>
              <strong>
                <VisibleText text={pair.candidate} inline />
              </strong>
            </span>
          </>
        )}
      </p>
      {pair.shown.length > 0 && (
        <PairedBars
          caption="Scores of both sides by label"
          nameHead="Label"
          lowest={Math.min(0, ...scores)}
          highest={Math.max(1, ...scores)}
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
      {pair.labels > pair.shown.length && (
        <p class="muted">
          The {pair.shown.length} greatest of {pair.labels} labels.
        </p>
      )}
    </>
  )
}
