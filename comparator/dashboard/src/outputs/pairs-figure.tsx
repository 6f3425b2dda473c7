import type { PairsView } from '../../../../vocabulary/api/pairs.ts'
import { usePolled } from '../api/use-polled.ts'
import { PairsChart, pairsHeight } from '../charts/distribution/pairs-chart.tsx'
import { formatPlain } from '../format/number.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { observationHref, type ValidationRoute } from '../routing/hash-route.ts'

const pairsMax = 500
const furthestShown = 5
/** Includes the caption, which takes two lines when figures are side by side. */
export const pairsFigureHeight = pairsHeight + 48
/** An even sample of a window hardly changes. */
const pollIntervalMs = 30_000

/** Each exchange's two answers as a point, with a link to those that differ most. */
export function PairsFigure({ route }: { route: ValidationRoute }) {
  const query = new URLSearchParams({ limit: String(pairsMax) })
  if (route.output !== null) query.set('output', route.output)
  if (route.slice !== null) query.set('slice', route.slice)
  const path = `/v1/validations/${encodeURIComponent(route.name)}/pairs?${query}`
  const polled = usePolled<PairsView>(path, () => path, pollIntervalMs)
  if (polled.data === null) {
    return polled.problem === null ? (
      <Loading what="the pairs" height={260} shape="block" />
    ) : (
      <EmptyState title="The pairs could not be loaded">{polled.problem.message}</EmptyState>
    )
  }
  const { of, units, pairs } = polled.data
  if (pairs.length === 0) return null
  const furthest = pairs
    .map((pair) => ({ ...pair, apart: Math.abs(pair.candidate - pair.primary) }))
    .filter(({ apart }) => apart > 0)
    .toSorted((a, b) => b.apart - a.apart)
    .slice(0, furthestShown)
  return (
    <PairsChart
      title={of === 'value' ? 'Values, pair by pair' : 'Top scores, pair by pair'}
      pairs={pairs}
      units={units}
      note={
        furthest.length > 0 && (
          <p class="furthest">
            <span class="muted">Largest differences:</span>{' '}
            {furthest.map(({ id, primary, candidate }) => (
              <a key={id} class="number" href={observationHref(id)}>
                {formatPlain(primary)} → {formatPlain(candidate)}
              </a>
            ))}
          </p>
        )
      }
    />
  )
}
