import type { ValidationView } from '../../../../vocabulary/api.ts'
import { formatCount, formatShare } from '../format/number.ts'
import { reasonWords } from '../format/words.ts'
import { EmptyState } from '../parts/empty-state.tsx'

/** Every exchange seen: compared, or skipped for a reason. */
export function CoverageSection({ validation }: { validation: ValidationView }) {
  const { seen, compared, skipped } = validation.exchanges
  const skips = Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .toSorted((a, b) => b[1] - a[1])
  const { coverageMin } = validation.window
  return (
    <section class="section" aria-labelledby="coverage">
      <div class="section-head">
        <h3 id="coverage">Coverage</h3>
        {validation.coverage !== null && (
          <p class="muted">
            {formatShare(validation.coverage)} compared, at least {formatShare(coverageMin)} needed
          </p>
        )}
      </div>
      {seen === 0 ? (
        <EmptyState title="No exchange seen in this window">
          The mirror counts every request on the route, compared or not.
        </EmptyState>
      ) : (
        <table class="coverage">
          <caption class="visually-hidden">Exchanges in the window: seen, compared and skipped by reason</caption>
          <thead>
            <tr>
              <th scope="col">Exchanges</th>
              <th scope="col" class="cell-share-bar">
                <span class="visually-hidden">Share as a bar</span>
              </th>
              <th scope="col" class="numeric">
                Count
              </th>
              <th scope="col" class="numeric">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            <Row label="seen" count={seen} seen={seen} kind="seen" />
            <Row label="compared" count={compared} seen={seen} kind="compared" />
            {skips.map(([reason, count]) => (
              <Row key={reason} label={`skipped: ${reasonWords(reason)}`} count={count} seen={seen} kind="skipped" />
            ))}
            {skips.length === 0 && <Row label="skipped" count={0} seen={seen} kind="skipped" />}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Row({ label, count, seen, kind }: { label: string; count: number; seen: number; kind: string }) {
  return (
    <tr class={`share-${kind}`}>
      <th scope="row" class="cell-what">
        {label}
      </th>
      <td class="cell-share-bar" aria-hidden="true">
        {count > 0 && <span class="share-bar" style={{ width: `${(count / seen) * 100}%` }} />}
      </td>
      <td class="numeric">{formatCount(count)}</td>
      <td class="numeric">{formatShare(count / seen)}</td>
    </tr>
  )
}
