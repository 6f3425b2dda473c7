import type { ComponentChildren } from 'preact'
import { useCallback } from 'preact/hooks'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { boundedText } from '../../format/bounded-text.ts'
import { limitValue } from '../../format/limit-text.ts'
import { formatCount, formatValue } from '../../format/number.ts'
import { formatUtc } from '../../format/time.ts'
import { driftPoints } from '../../metrics/drift-points.ts'
import { legOf, metricInfo } from '../../metrics/metric-info.ts'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { useTimeAxis } from '../frame/range-context.ts'
import { driftPlot, limitsInReach } from './drift-plot.ts'

interface DriftChartProps {
  metrics: MetricsView
  metric: string
  limit: { min?: number; max?: number }
  height?: number
  /** Replaces the title. */
  heading?: ComponentChildren
}

/**
 * One metric's line inside its band, with the policy's limit as a dotted line and, if it is measured, the noise floor
 * (the primary against itself) as a dashed one.
 */
export function DriftChart({ metrics, metric, limit, height = 260, heading }: DriftChartProps) {
  const info = metricInfo(metric)
  const { min, max } = limit
  const floor = metrics.noiseFloor?.bounds[metric]
  const points = driftPoints(metrics, metric)
  const known = points.filter((point) => point.value !== null)
  const time = useTimeAxis()
  const limits = [min, max].filter((value) => value !== undefined)
  const reached = limitsInReach(points, limits, info.domain)

  const options = useCallback(
    (width: number) =>
      driftPlot({
        metrics,
        metric,
        limit: { ...(min !== undefined && { min }), ...(max !== undefined && { max }) },
        height,
        width,
      }),
    [metrics, metric, min, max, height],
  )

  const last = known.at(-1)
  const summary = last
    ? `${info.label}, ${known.length} steps, last ${formatValue(last.value, info.unit)}${limits.map((value) => `, limit ${limitValue(value, info.unit)}`).join('')}`
    : `${info.label}: no values in this range`
  return (
    <PlotFigure
      {...time}
      title={info.label}
      {...(heading !== undefined && { heading })}
      summary={summary}
      height={height}
      options={options}
      legend={
        <ul class="legend">
          <li class={`key key-${legOf(metric) ?? 'drift'}`}>{legOf(metric) ?? 'estimate'}</li>
          {points.some(({ lower, upper }) => lower !== null && upper !== null) && <li class="key key-band">bound</li>}
          {floor && floor.estimate !== null && (
            <li class="key key-floor">noise floor {boundedText(metric, floor).estimate}</li>
          )}
          {reached.length > 0 && <li class="key key-limit">{reached.length === 1 ? 'limit' : 'limits'}</li>}
          {limits
            .filter((value) => !reached.includes(value))
            .map((value) => (
              <li key={value}>limit {limitValue(value, info.unit)}, beyond the scale</li>
            ))}
        </ul>
      }
      table={() => ({
        columns: ['Time, UTC', 'Estimate', 'Lower', 'Upper', 'Samples'],
        rows: points.map((point) => [
          { text: formatUtc(point.at), value: point.at.toISOString() },
          ...[point.value, point.lower, point.upper].map((value) => ({ text: formatValue(value, info.unit), value })),
          { text: formatCount(point.samples), value: point.samples },
        ]),
      })}
    />
  )
}
