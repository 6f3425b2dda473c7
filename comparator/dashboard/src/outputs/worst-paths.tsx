import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import { Downloads } from '../charts/frame/downloads.tsx'
import { formatColumnShare, formatShare } from '../format/number.ts'
import { Scrollable } from '../parts/scrollable.tsx'

/** Paths in documents, by the share of observations that differ there. */
export function WorstPaths({ metrics, output }: { metrics: MetricsView; output: string }) {
  const paths = pathsOf(metrics, output)
  const title = 'Where documents differ'
  if (paths.length === 0) return null
  const most = paths[0]!.share
  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        <span class="muted">share of the pairs that differ there; * is any item</span>
      </figcaption>
      <Scrollable label={title}>
        <table class="compact confused">
          <caption class="visually-hidden">Places in the documents by how many pairs differ there</caption>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Place</th>
              <th scope="col">Share as a bar</th>
              <th scope="col">Share</th>
            </tr>
          </thead>
          <tbody>
            {paths.map(({ path, share }) => (
              <tr key={path}>
                <th scope="row" class="cell-label">
                  <code>{path === '' ? '(the whole document)' : path}</code>
                </th>
                <td class="cell-apart-bar" aria-hidden="true">
                  <span class="apart-bar" style={{ width: `${(share / most) * 100}%` }} />
                </td>
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
            columns: ['Place', 'Share of pairs that differ'],
            rows: paths.map(({ path, share }) => [path, { text: formatShare(share), value: share }]),
          })}
        />
      </div>
    </figure>
  )
}

function pathsOf({ totals }: MetricsView, output: string): { path: string; share: number }[] {
  const outputs = totals.outputs
  const own = output === '' ? totals : typeof outputs === 'object' && outputs !== null ? outputs[output] : null
  const tree = typeof own === 'object' && own !== null ? own.worstPaths : null
  if (typeof tree !== 'object' || tree === null) return []
  return Object.entries(tree)
    .flatMap(([path, share]) => (typeof share === 'number' ? [{ path, share }] : []))
    .toSorted((a, b) => b.share - a.share)
}
