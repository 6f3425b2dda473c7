import { formatCount } from '../format/number.ts'

/** Over this many labels a matrix is a wall of zeros; the most confused pairs are listed instead. */
const matrixLabelsMax = 16
const pairsMax = 20

interface ConfusionMatrixProps {
  labels: string[]
  counts: number[][]
}

/** Rows: what the primary said; columns: what the candidate said. Disagreements stand out, agreement recedes. */
export function ConfusionMatrix({ labels, counts }: ConfusionMatrixProps) {
  const pairs = counts.flatMap((row, i) => row.map((count, j) => ({ i, j, count })))
  const apart = pairs.filter(({ i, j, count }) => i !== j && count > 0).toSorted((a, b) => b.count - a.count)
  const total = pairs.reduce((sum, pair) => sum + pair.count, 0)
  const differing = apart.reduce((sum, pair) => sum + pair.count, 0)
  const most = apart[0]?.count ?? 1
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">Labels, primary against candidate</span>
        <span class="muted">
          {formatCount(differing)} of {formatCount(total)} differ
        </span>
      </figcaption>
      <p class="axes">
        <span class="leg leg-primary">primary in rows</span>
        <span class="leg leg-candidate">candidate in columns</span>
      </p>
      {labels.length > matrixLabelsMax ? (
        <ol class="confused-pairs">
          {apart.slice(0, pairsMax).map(({ i, j, count }) => (
            <li key={`${i} ${j}`}>
              <span class="leg leg-primary">{labels[i]}</span> <span class="leg leg-candidate">{labels[j]}</span>
              <span class="number">{formatCount(count)}</span>
            </li>
          ))}
        </ol>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section class="table-scroll" tabIndex={0} aria-label="Confusion matrix">
          <table class="confusion">
            <caption class="visually-hidden">
              Exchanges by label: rows are the primary’s, columns are the candidate’s
            </caption>
            <thead>
              <tr>
                <td />
                {labels.map((label) => (
                  <th key={label} scope="col" class="numeric">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, i) => (
                <tr key={label}>
                  <th scope="row" class="numeric">
                    {label}
                  </th>
                  {labels.map((other, j) => (
                    <Cell key={other} count={counts[i]?.[j] ?? 0} same={i === j} most={most} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </figure>
  )
}

function Cell({ count, same, most }: { count: number; same: boolean; most: number }) {
  if (same) return <td class="numeric agree">{formatCount(count)}</td>
  if (count === 0) return <td class="numeric zero">0</td>
  const weight = 14 + Math.round((Math.log1p(count) / Math.log1p(most)) * 34)
  return (
    <td class="numeric differ" style={{ '--weight': `${weight}%` }}>
      {formatCount(count)}
    </td>
  )
}
