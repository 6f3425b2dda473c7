import type { RowsPair, TopClass } from '../../../../vocabulary/answer-pair.ts'
import { formatCount } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'

/** Several rows, each with both sides' label and its score; those furthest apart first. */
export function RowsPairView({ pair }: { pair: RowsPair }) {
  const { rows, differing, shown } = pair
  return (
    <>
      <p class="verdict-line">
        <strong>{differing === 0 ? 'The same label' : `Another label in ${formatCount(differing)}`}</strong>
        {` ${differing === 0 ? 'in' : 'of'} ${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}.`}
      </p>
      <table class="fields">
        <caption class="visually-hidden">Rows of both sides</caption>
        <thead>
          <tr>
            <th scope="col">Row</th>
            <th scope="col">
              <span class="leg leg-primary">Primary</span>
            </th>
            <th scope="col">
              <span class="leg leg-candidate">Candidate</span>
            </th>
            <th scope="col">How</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, primary, candidate }) => (
            <tr key={row}>
              <th scope="row" class="number" data-label="Row">
                {row}
              </th>
              <td data-label="Primary">
                <Top {...primary} />
              </td>
              <td data-label="Candidate">
                <Top {...candidate} />
              </td>
              <td class="cell-how">{primary.label === candidate.label ? 'same' : 'another label'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows > shown.length && (
        <p class="muted">
          The {shown.length} furthest apart of {formatCount(rows)}.
        </p>
      )}
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
