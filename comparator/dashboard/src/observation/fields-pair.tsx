import type { CutText, FieldGroup, FieldsPair, FieldView } from '../../../../vocabulary/api/answer-pair.ts'
import { formatCount, formatCounted, formatPlain } from '../format/number.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { PairTable } from './pair-table.tsx'

const howWords: Record<FieldView['how'], string> = {
  missing: 'missing',
  extra: 'extra',
  typeChanged: 'different type',
  valueChanged: 'different value',
  equal: 'same',
}

/** The fields of two documents: differences first, then fields equal within a tolerance and ignored ones. */
export function FieldsPairView({ pair }: { pair: FieldsPair }) {
  const { differing, tolerated, ignored, equal, tolerance, ignore } = pair
  return (
    <>
      <p class="verdict-line">
        <strong>
          {differing.count === 0
            ? 'No field differs'
            : `${formatCounted(differing.count, 'field')} ${differing.count === 1 ? 'differs' : 'differ'}`}
        </strong>
        , {formatCount(equal)} {equal === 1 ? 'is' : 'are'} equal
        {ignored.count > 0 && `, ${formatCount(ignored.count)} ignored`}.
      </p>
      {differing.shown.length > 0 && <FieldTable title="Fields that differ" group={differing.shown} />}
      <NotShown group={differing} />
      {tolerated.count > 0 && (
        <details class="set-aside">
          <summary>
            {formatCounted(tolerated.count, 'field')} within the tolerance
            {tolerance.absolute > 0 && `, ${formatPlain(tolerance.absolute)} absolute`}
            {tolerance.relative > 0 && `, ${formatPlain(tolerance.relative)} relative`}
          </summary>
          <FieldTable title="Fields within the tolerance" group={tolerated.shown} />
          <NotShown group={tolerated} />
        </details>
      )}
      {ignored.count > 0 && (
        <details class="set-aside">
          <summary>
            {formatCount(ignored.count)} ignored by <code>{ignore.slice(0, 5).join(', ')}</code>
            {ignore.length > 5 && ` and ${ignore.length - 5} more`}
          </summary>
          <FieldTable title="Ignored fields" group={ignored.shown} />
          <NotShown group={ignored} />
        </details>
      )}
    </>
  )
}

function FieldTable({ title, group }: { title: string; group: FieldView[] }) {
  return (
    <PairTable title={title} of="Field">
      {group.map(({ path, how, primary, candidate }, i) => (
        <tr key={i}>
          <th scope="row">
            <code>{path === '' ? 'the whole document' : <VisibleText text={path} inline />}</code>
          </th>
          <td data-label="Primary">
            <Value value={primary} />
          </td>
          <td data-label="Candidate">
            <Value value={candidate} />
          </td>
          <td class="cell-how">{howWords[how]}</td>
        </tr>
      ))}
    </PairTable>
  )
}

function Value({ value }: { value: CutText | null }) {
  if (value === null) return <span class="no-data">none</span>
  return (
    <>
      <code>
        <VisibleText text={value.text} inline />
      </code>
      {value.length > value.text.length && <span class="muted"> of {formatCount(value.length)} characters</span>}
    </>
  )
}

function NotShown({ group: { places, shown } }: { group: FieldGroup }) {
  if (places <= shown.length) return null
  return (
    <p class="muted">
      The first {formatCount(shown.length)} of {formatCount(places)} places.
    </p>
  )
}
