import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { SlicesView } from '../../../../vocabulary/slice/slices.ts'
import { usePolled } from '../api/use-polled.ts'
import { isolatedText } from '../format/hidden-characters.ts'
import { formatShare } from '../format/number.ts'
import { RangePicker } from '../parts/range-picker.tsx'
import { formatRoute, type ObservationsRoute } from '../routing/hash-route.ts'
import { dimensionWords, valueWords } from '../slices/slice-words.ts'

const orders: [order: ObservationsRoute['order'], words: string, title: string][] = [
  ['worst', 'Worst', 'Largest differences first, in the current window'],
  ['typical', 'Typical', 'A uniform sample of the current window'],
  ['newest', 'Newest', 'Latest first, across all windows'],
]
const comparisons: [comparison: NonNullable<ObservationsRoute['comparison']>, words: string][] = [
  ['compared', 'Compared'],
  ['failed', 'The candidate failed'],
  ['skipped', 'Not compared'],
]
const slicesEveryMs = 60_000

/** What was not compared is not among the worst. */
const withWorst = ({ comparison }: ObservationsRoute) => (comparison === 'skipped' ? null : comparison)

/** Which observations are shown and in which order, all kept in the address. */
export function ListFilters({ route, validation }: { route: ObservationsRoute; validation: ValidationView | null }) {
  const path = `/v1/validations/${encodeURIComponent(route.name)}/slices`
  const slices = usePolled<SlicesView>(path, () => path, slicesEveryMs)
  const go = (more: Partial<ObservationsRoute>) => {
    location.hash = formatRoute({ ...route, ...more })
  }
  const dimensions = Map.groupBy(slices.data?.slices ?? [], ({ dimension }) => dimension)
  const isListed = slices.data?.slices.some(({ slice }) => slice === route.slice) ?? false
  return (
    <div class="list-filters">
      <nav class="segments" aria-label="Order">
        {orders.map(([order, words, title]) => (
          <a
            key={order}
            href={formatRoute({ ...route, order, comparison: order === 'worst' ? withWorst(route) : route.comparison })}
            title={title}
            aria-current={route.order === order ? 'true' : undefined}
          >
            {words}
          </a>
        ))}
      </nav>
      <label class="picker">
        <span>Slice</span>
        <select value={route.slice ?? ''} onChange={(event) => go({ slice: event.currentTarget.value || null })}>
          <option value="">All traffic</option>
          {route.slice !== null && !isListed && <option value={route.slice}>{isolatedText(route.slice)}</option>}
          {[...dimensions].map(([dimension, values]) => (
            <optgroup key={dimension} label={dimensionWords(dimension)}>
              {values.map(({ slice, value, share }) => (
                <option key={slice} value={slice}>
                  {isolatedText(valueWords(dimension, value))} ({formatShare(share)})
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      <label class="picker">
        <span>Outcome</span>
        <select
          value={route.comparison ?? ''}
          onChange={(event) =>
            go({ comparison: comparisons.find(([each]) => each === event.currentTarget.value)?.[0] ?? null })
          }
        >
          <option value="">Any</option>
          {comparisons.map(([comparison, words]) => (
            <option key={comparison} value={comparison}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <RangePicker
        range={route.range}
        shown={validation ? { from: validation.window.from, to: validation.window.to } : null}
        choose={(range) => go({ range })}
      />
    </div>
  )
}
