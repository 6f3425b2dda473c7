import { useState } from 'preact/hooks'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { SlicesView } from '../../../../vocabulary/slice/slices.ts'
import { serverNow } from '../api/server-clock.ts'
import { usePolled } from '../api/use-polled.ts'
import { Downloads } from '../charts/frame/downloads.tsx'
import { formatCount, formatPlain, formatShare } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { MetricGroup } from '../parts/metric-group.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { formatRoute, type ValidationRoute } from '../routing/hash-route.ts'
import { rangeQuery } from '../routing/range.ts'
import { DimensionPicker } from './dimension-picker.tsx'
import { sliceMetrics } from './slice-metrics.ts'
import { sliceSummary } from './slice-summary.ts'
import { SliceTable } from './slice-table.tsx'
import { betterWords, isRest } from './slice-words.ts'

const rowsShown = 10
/** Computing the bounds of every slice costs more than the rest of the page. */
const pollIntervalMs = 15_000

/** Where the candidate is demonstrably worse than on all traffic. Choosing a slice filters the page. */
export function SlicesSection({ validation, route }: { validation: ValidationView; route: ValidationRoute }) {
  const dimension = route.by
  const setDimension = (by: string | null) => {
    location.hash = formatRoute({ ...route, by })
  }
  const [isWhole, setWhole] = useState(false)
  const metrics = sliceMetrics(validation)
  const isOffered = route.metric !== null && [...metrics.gated, ...metrics.others].includes(route.metric)
  const metric = isOffered ? route.metric : null
  const pathNow = () => {
    const query = new URLSearchParams(rangeQuery(route.range, serverNow()))
    if (metric !== null) query.set('metric', metric)
    return `/v1/validations/${encodeURIComponent(route.name)}/slices?${query}`
  }
  const polled = usePolled<SlicesView>(
    `${route.name} ${metric} ${JSON.stringify(route.range)}`,
    pathNow,
    pollIntervalMs,
  )
  const view = polled.data && onlyCuts(polled.data)
  const slices = view?.slices.filter((slice) => dimension === null || slice.dimension === dimension) ?? []
  const told = slices.filter((slice) => !isRest(slice))
  const shown = [...(isWhole ? told : told.slice(0, rowsShown)), ...slices.filter(isRest)]
  const title = view ? `${metricInfo(view.metric).label} by slice` : 'Slices'
  return (
    <section class="section" aria-labelledby="slices" aria-busy={polled.isBehind}>
      <div class="section-head">
        <SectionHeading id="slices" level={3}>
          Slices
        </SectionHeading>
        <label class="picker">
          <span>Metric</span>
          <select
            value={metric ?? view?.metric ?? ''}
            onChange={(event) => {
              location.hash = formatRoute({ ...route, metric: event.currentTarget.value })
            }}
          >
            <MetricGroup label="In the gate" names={metrics.gated} />
            <MetricGroup label="Also measured" names={metrics.others} />
          </select>
        </label>
      </div>
      {view === null ? (
        polled.problem === null ? (
          <Loading what="slices" height={440} />
        ) : (
          <EmptyState title="The slices could not be loaded">{polled.problem.message}</EmptyState>
        )
      ) : view.slices.length === 0 ? (
        <EmptyState title="No slice in this range">
          <p>
            Traffic is sliced by route, size, hour, predicted class, and the headers and fields named in{' '}
            <code>slices:</code>.
          </p>
        </EmptyState>
      ) : (
        <>
          <p class="sentence">
            {sliceSummary(view).map((words, i) =>
              typeof words === 'string' ? words : <VisibleText key={i} text={words.chosen} inline />,
            )}
          </p>
          <div class="slice-head">
            <DimensionPicker view={view} chosen={dimension} choose={setDimension} />
            <span class="muted">worst first; {betterWords[view.better]}</span>
          </div>
          <figure class="figure slice-figure" aria-label={title}>
            <SliceTable view={view} shown={shown} route={route} />
            <div class="figure-foot">
              {told.length > rowsShown ? (
                <button class="link-button" type="button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                  {isWhole ? `Show the worst ${rowsShown}` : `Show all ${formatCount(told.length)} slices`}
                </button>
              ) : (
                <span />
              )}
              <Downloads title={title} table={() => tableOf(view)} />
            </div>
          </figure>
        </>
      )}
    </section>
  )
}

/** Drops dimensions with a single value, which only repeat all traffic. */
function onlyCuts(view: SlicesView): SlicesView {
  const dimensions = view.dimensions.filter(({ values }) => values > 1)
  if (dimensions.length === 0) return view
  const names = new Set(dimensions.map(({ name }) => name))
  return { ...view, dimensions, slices: view.slices.filter(({ dimension }) => names.has(dimension)) }
}

function tableOf(view: SlicesView) {
  const value = (number: number | null) => ({ text: number === null ? '–' : formatPlain(number), value: number })
  return {
    columns: ['Slice', 'Estimate', 'Lower', 'Upper', 'n', 'Share', 'Worse'],
    rows: view.slices.map((slice) => [
      slice.slice,
      value(slice.estimate),
      value(slice.lower),
      value(slice.upper),
      { text: formatCount(slice.n), value: slice.n },
      { text: formatShare(slice.share), value: slice.share },
      slice.worse ? 'worse' : '',
    ]),
  }
}
