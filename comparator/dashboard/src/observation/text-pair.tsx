import type { TextsPair } from '../../../../vocabulary/api/answer-pair.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { FurthestRow } from './furthest-row.tsx'
import { type WordRun, wordDiff } from './word-diff.ts'

/** Both texts next to each other, with the words that only one side has. */
export function TextPairView({ pair }: { pair: TextsPair }) {
  const runs = wordDiff(pair.primary.text, pair.candidate.text)
  return (
    <>
      <FurthestRow row={pair.row} />
      <dl class="facts">
        <div>
          <dt>Edit similarity</dt>
          <dd class="number">{formatShare(pair.editSimilarity)}</dd>
        </div>
        <div>
          <dt>Words in common (F1)</dt>
          <dd class="number">{formatShare(pair.tokenF1)}</dd>
        </div>
      </dl>
      <div class="columns">
        <Side leg="primary" runs={runs} length={pair.primary.length} shown={pair.primary.text.length} />
        <Side leg="candidate" runs={runs} length={pair.candidate.length} shown={pair.candidate.text.length} />
      </div>
    </>
  )
}

interface SideProps {
  leg: 'primary' | 'candidate'
  runs: WordRun[]
  length: number
  shown: number
}

function Side({ leg, runs, length, shown }: SideProps) {
  const Own = leg === 'primary' ? 'del' : 'ins'
  return (
    <div>
      <p>
        <span class={`leg leg-${leg}`}>{leg}</span> <span class="muted">{formatCount(length)} characters</span>
      </p>
      <Scrollable label={`Text of the ${leg}`} class="body-text text-side" dir="auto">
        {runs.map((run, i) => {
          if (run.kind === 'same') return <VisibleText key={i} text={run.text} />
          if (run.kind !== leg) return null
          return (
            <Own key={i}>
              <VisibleText text={run.text} />
            </Own>
          )
        })}
        {shown === 0 && <span class="no-data">an empty text</span>}
      </Scrollable>
      {shown < length && <p class="muted">{formatCount(length - shown)} more are not shown.</p>}
    </div>
  )
}
