import type { RowsPair, TopClass } from '../../../../vocabulary/api/answer-pair.ts'
import type { ObservationDetail } from '../../../../vocabulary/api/observation-detail.ts'
import { formatCount, formatCounted } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { givenApart, givenNames } from './given-apart.ts'
import { PairTable } from './pair-table.tsx'
import { rowTruths } from './row-truths.ts'

/** Several rows, each with both sides' label and score and the truth; largest difference first. */
export function RowsPairView({ pair, truth }: { pair: RowsPair; truth: ObservationDetail['truth'] }) {
  const { rows, differing, shown } = pair
  const truths = rowTruths(truth, rows)
  const [labels, another] = shown.some(({ given }) => given)
    ? ['labels', 'Different labels']
    : ['label', 'Different label']
  return (
    <>
      <p class="verdict-line">
        <strong>{differing === 0 ? `The same ${labels}` : `${another} in ${formatCount(differing)}`}</strong>
        {` ${differing === 0 ? 'in' : 'of'} ${formatCounted(rows, 'row')}.`}
      </p>
      {truths === 'misfit' && (
        <p class="muted">The label could not be compared with it: it has a different number of rows.</p>
      )}
      <PairTable title="Rows of both sides" of="Row">
        {shown.map(({ row, primary, candidate, given }) => (
          <tr key={row}>
            <th scope="row" class="number" data-label="Row">
              {row}
            </th>
            <td data-label="Primary">
              {given ? <VisibleText text={givenNames(given.primary)} inline /> : <Top {...primary} />}
            </td>
            <td data-label="Candidate">
              {given ? <VisibleText text={givenNames(given.candidate)} inline /> : <Top {...candidate} />}
            </td>
            <td class="cell-how">
              {given ? (
                <VisibleText text={givenApart(given) || 'same'} inline />
              ) : primary.label === candidate.label ? (
                'same'
              ) : (
                'different label'
              )}
              <Truth label={truths === 'misfit' ? null : (truths[row] ?? null)} />
            </td>
          </tr>
        ))}
      </PairTable>
      {rows > shown.length && (
        <p class="muted">
          The {shown.length} of {formatCount(rows)} that differ most.
        </p>
      )}
    </>
  )
}

function Truth({ label }: { label: string | null }) {
  if (label === null) return null
  return (
    <>
      {'; truth: '}
      <strong>
        <VisibleText text={label} inline />
      </strong>
    </>
  )
}

function Top({ label, score }: TopClass) {
  return (
    <>
      <VisibleText text={label} inline />
      {score !== null && <span class="muted number"> {score.toFixed(4).replace('-', '−')}</span>}
    </>
  )
}
