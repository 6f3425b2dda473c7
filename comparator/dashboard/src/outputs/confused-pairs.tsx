import { type Confusion, confusedPairs, labelTotals } from '../charts/confusion/confusion-cells.ts'
import { Downloads } from '../charts/frame/downloads.tsx'
import { formatColumnShare, formatCount, formatCounted, formatShare } from '../format/number.ts'
import { Scrollable } from '../parts/scrollable.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'

const pairsShown = 10

interface ConfusedPairsProps {
  confusion: Confusion
  /** Set if the traffic is sliced by these labels. */
  route: ValidationRoute | null
}

/** Which labels are confused with which, most frequent first; a label links to its slice, if there is one. */
export function ConfusedPairs({ confusion, route }: ConfusedPairsProps) {
  const pairs = confusedPairs(confusion)
  const totals = labelTotals(confusion)
  const { labels } = confusion
  const most = pairs[0]?.count ?? 1
  const title = 'Most confused labels'
  if (pairs.length === 0) return null
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        <span class="muted">
          {pairs.length > pairsShown
            ? `${pairsShown} of ${formatCount(pairs.length)} pairs`
            : pairs.length === 1
              ? '1 pair'
              : `${pairs.length} pairs`}
        </span>
      </figcaption>
      <Scrollable label={title}>
        <table class="compact confused">
          <caption class="visually-hidden">
            Pairs of labels by how often the candidate’s differs from the primary’s
          </caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="leg leg-primary">primary</span>
              </th>
              <th scope="col">
                <span class="leg leg-candidate">candidate</span>
              </th>
              <th scope="col" class="cell-apart-bar">
                <span class="visually-hidden">Count as a bar</span>
              </th>
              <th scope="col" class="numeric">
                Count
              </th>
              <th scope="col" class="numeric" title="Share of all that the primary gave this label">
                Of the label
              </th>
            </tr>
          </thead>
          <tbody>
            {pairs.slice(0, pairsShown).map(({ row, column, count, share }) => (
              <tr key={`${row} ${column}`}>
                <th scope="row" class="cell-label">
                  {route === null ? (
                    labels[row]
                  ) : (
                    <a
                      href={formatRoute({ ...route, slice: `class=${labels[row]}` })}
                      title={`Show only what the primary called ${labels[row]}: ${formatCounted(totals[row]!.primary, 'prediction')}`}
                    >
                      {labels[row]}
                    </a>
                  )}
                </th>
                <td class="cell-label">{labels[column]}</td>
                <td class="cell-apart-bar" aria-hidden="true">
                  <span class="apart-bar" style={{ width: `${(count / most) * 100}%` }} />
                </td>
                <td class="numeric">{formatCount(count)}</td>
                <td class="numeric">{formatColumnShare(share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
      <div class="figure-foot">
        <Downloads
          title={title}
          table={() => ({
            columns: ['Primary', 'Candidate', 'Count', 'Share of the primary’s label'],
            rows: pairs.map(({ row, column, count, share }) => [
              labels[row]!,
              labels[column]!,
              { text: formatCount(count), value: count },
              { text: formatShare(share), value: share },
            ]),
          })}
        />
      </div>
    </figure>
  )
}
