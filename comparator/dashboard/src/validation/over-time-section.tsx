import type { MetricsView } from '../../../../vocabulary/api/metrics.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { mainMetrics } from '../../../../vocabulary/mapping/output-kind.ts'
import { evidenceChecks } from '../../../../vocabulary/verdict.ts'
import { DriftChart } from '../charts/over-time/drift-chart.tsx'
import { boundedText } from '../format/bounded-text.ts'
import { formatCount, formatValue } from '../format/number.ts'
import { limitOn } from '../metrics/limit-on.ts'
import { metricInfo } from '../metrics/metric-info.ts'
import { valueAt } from '../metrics/value-at.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Loading } from '../parts/loading.tsx'
import { MetricGroup } from '../parts/metric-group.tsx'
import { SectionHeading } from '../parts/section-heading.tsx'

interface OverTimeSectionProps {
  metrics: MetricsView | null
  validation: ValidationView
  /** The metric in the address, or the deciding check's. */
  metric: string | null
  choose: (metric: string) => void
}

/** One metric large and the gate's others small beside it, all over the page's range. */
export function OverTimeSection({ metrics, validation, metric, choose }: OverTimeSectionProps) {
  const gate = validation.policy.gate
  const gated = [...new Set(gate.map((check) => check.metric))].filter((name) => !evidenceChecks.includes(name))
  const measured = metrics ? Object.keys(metrics.bounds).filter((name) => metrics.bounds[name]?.estimate != null) : []
  const others = measured.filter((name) => !gated.includes(name) && !evidenceChecks.includes(name)).toSorted()
  const usual = mainMetrics[validation.kind]
  const shown = metric ?? (measured.includes(usual) ? usual : (gated[0] ?? usual))
  return (
    <section class="section" aria-labelledby="over-time">
      <div class="section-head">
        <SectionHeading id="over-time" level={3}>
          Drift over time
        </SectionHeading>
        <label class="picker">
          <span>Metric</span>
          <select value={shown} onChange={(event) => choose(event.currentTarget.value)}>
            <MetricGroup label="In the gate" names={gated} />
            {!gated.includes(shown) && !others.includes(shown) && (
              <option value={shown}>{metricInfo(shown).label}</option>
            )}
            <MetricGroup label="Also measured" names={others} />
          </select>
        </label>
      </div>
      {metrics === null ? (
        <Loading what="the figures" height={400} shape="block" />
      ) : metrics.series.length === 0 ? (
        <EmptyState title="No figures in this range">
          The line begins with the first compared observation. A wider range may show some.
        </EmptyState>
      ) : (
        <>
          <OverRange metrics={metrics} metric={shown} limit={limitOn(shown, gate)} />
          <DriftChart metrics={metrics} metric={shown} limit={limitOn(shown, gate)} />
          <div class="small-multiples">
            {gated
              .filter((name) => name !== shown)
              .map((name) => (
                <DriftChart
                  key={name}
                  metrics={metrics}
                  metric={name}
                  limit={limitOn(name, gate)}
                  height={150}
                  heading={
                    <button class="link-button figure-title" type="button" onClick={() => choose(name)}>
                      {metricInfo(name).label}
                    </button>
                  }
                />
              ))}
          </div>
        </>
      )}
    </section>
  )
}

interface OverRangeProps {
  metrics: MetricsView
  metric: string
  limit: ReturnType<typeof limitOn>
}

function OverRange({ metrics, metric, limit }: OverRangeProps) {
  const bounded = metrics.bounds[metric]
  const value = bounded?.estimate ?? valueAt(metrics.totals, metric)
  if (value === null) return <p class="range-total no-data">No value over this range yet.</p>
  const { estimate, bound } = bounded
    ? boundedText(metric, { ...bounded, estimate: value }, { limit })
    : { estimate: formatValue(value, metricInfo(metric).unit), bound: null }
  return (
    <p class="range-total">
      <strong class="number">{estimate}</strong>{' '}
      <span class="muted">
        over this range{bound !== null && `, bound ${bound}`}
        {bounded && `, n = ${formatCount(bounded.n)}`}
      </span>
    </p>
  )
}
