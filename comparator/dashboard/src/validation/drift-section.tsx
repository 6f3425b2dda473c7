import type { MetricsView, ValidationView } from '../../../../vocabulary/api.ts'
import { DriftChart } from '../charts/drift-chart.tsx'
import { decimalsFor, formatCount, formatValue } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'
import { valueAt } from '../metrics/value-at.ts'
import { EmptyState } from '../parts/empty-state.tsx'

/** What a reader looks for first. */
const usualMetric: Record<ValidationView['kind'], string> = {
  regression: 'mae',
  classification: 'agreement',
  embedding: 'cosine',
  detection: 'f1',
  text: 'editSimilarity',
  json: 'fieldsEqual',
}

interface DriftSectionProps {
  metrics: MetricsView | null
  validation: ValidationView
  metric: string | null
  choose: (metric: string) => void
}

export function DriftSection({ metrics, validation, metric, choose }: DriftSectionProps) {
  const gated = [...new Set(validation.policy.gate.map((check) => check.metric))]
  const measured = metrics ? Object.keys(metrics.bounds).filter((name) => metrics.bounds[name]?.estimate != null) : []
  const others = measured.filter((name) => !gated.includes(name) && name !== 'samples').toSorted()
  const usual = usualMetric[validation.kind]
  const shown = metric ?? (measured.includes(usual) ? usual : (gated[0] ?? usual))
  const check = validation.policy.gate.find((each) => each.metric === shown)
  return (
    <section class="section" aria-labelledby="drift">
      <div class="section-head">
        <h3 id="drift">Drift over time</h3>
        <label class="picker">
          <span>Metric</span>
          <select value={shown} onChange={(event) => choose(event.currentTarget.value)}>
            {gated.length > 0 && <MetricGroup label="In the gate" names={gated} />}
            {!gated.includes(shown) && !others.includes(shown) && (
              <option value={shown}>{metricInfo(shown).label}</option>
            )}
            {others.length > 0 && <MetricGroup label="Also measured" names={others} />}
          </select>
        </label>
      </div>
      {metrics === null ? (
        <p class="loading chart-space">Loading figures…</p>
      ) : metrics.series.length === 0 ? (
        <EmptyState title="No figures in this range">
          The line begins with the first compared observation. A wider range may hold some.
        </EmptyState>
      ) : (
        <>
          <OverRange metrics={metrics} metric={shown} />
          <DriftChart metrics={metrics} metric={shown} limit={check ?? {}} />
        </>
      )}
    </section>
  )
}

function MetricGroup({ label, names }: { label: string; names: string[] }) {
  return (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={name}>
          {metricInfo(name).label}
        </option>
      ))}
    </optgroup>
  )
}

function OverRange({ metrics, metric }: { metrics: MetricsView; metric: string }) {
  const { unit } = metricInfo(metric)
  const bounded = metrics.bounds[metric]
  const estimate = bounded?.estimate ?? valueAt(metrics.totals, metric)
  if (estimate === null) return <p class="range-total no-data">No value over this range yet.</p>
  const decimals = bounded ? decimalsFor(estimate, bounded.lower, bounded.upper) : undefined
  const value = (number: number | null) => formatValue(number, unit, decimals)
  return (
    <p class="range-total">
      <strong class="number">{value(estimate)}</strong>
      {bounded && (bounded.lower !== null || bounded.upper !== null) && (
        <span class="muted">
          {' '}
          over this range, bound {value(bounded.lower)} to {value(bounded.upper)}, n = {formatCount(bounded.n)}
        </span>
      )}
    </p>
  )
}
