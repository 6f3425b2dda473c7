import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import type { MetricsView } from '../../../../vocabulary/api.ts'
import { formatCount, formatPlain, formatValue } from '../format/number.ts'
import { formatUtc } from '../format/time.ts'
import { type DriftPoint, driftDomain, driftPoints } from '../metrics/drift-points.ts'
import { metricInfo, type Unit } from '../metrics/metric-info.ts'
import { PlotFigure } from './plot-figure.tsx'
import { utcAxis } from './utc-axis.ts'

interface DriftChartProps {
  metrics: MetricsView
  metric: string
  limit: { min?: number; max?: number }
}

/** One metric's line inside its band, against the policy's limit as a dotted line. */
export function DriftChart({ metrics, metric, limit }: DriftChartProps) {
  const info = metricInfo(metric)
  const { min, max } = limit
  const points = driftPoints(metrics, metric)
  const known = points.filter((point) => point.value !== null)
  const limits = [min, max].filter((value) => value !== undefined)

  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const drawn = driftPoints(metrics, metric)
      const drawnLimits = [min, max].filter((value) => value !== undefined)
      return {
        marginLeft: 60,
        x: utcAxis(
          drawn.map(({ at }) => at),
          width,
        ),
        y: {
          label: null,
          grid: true,
          ticks: 5,
          domain: driftDomain(drawn, drawnLimits, info.domain),
          tickFormat: (value: number) => formatValue(value, info.unit),
        },
        marks: [
          Plot.areaY(drawn, {
            x: 'at',
            y1: 'lower',
            y2: 'upper',
            className: 'mark-band',
            clip: true,
          }),
          Plot.ruleY(drawnLimits, { className: 'mark-limit', strokeDasharray: '2 4' }),
          Plot.text(drawnLimits, {
            y: (value: number) => value,
            frameAnchor: 'right',
            text: (value: number) => `limit ${formatPlain(value)}`,
            dy: -7,
            className: 'mark-limit-text',
          }),
          Plot.lineY(drawn, { x: 'at', y: 'value', className: 'mark-drift', clip: true }),
          Plot.dot(isolated(drawn), { x: 'at', y: 'value', r: 2.5, className: 'mark-drift-dot' }),
          Plot.ruleX(drawn, Plot.pointerX({ x: 'at', className: 'mark-pointer' })),
          Plot.tip(
            drawn,
            Plot.pointerX({
              x: 'at',
              y: 'value',
              title: (point: DriftPoint) => tipText(point, info.unit),
              textPadding: 10,
              lineHeight: 1.4,
            }),
          ),
        ],
      }
    },
    [metrics, metric, min, max, info.unit, info.domain[0], info.domain[1]],
  )

  const last = known.at(-1)
  const summary = last
    ? `${info.label}, ${known.length} steps, last ${formatValue(last.value, info.unit)}${limits.map((value) => `, limit ${formatPlain(value)}`).join('')}`
    : `${info.label}: no values in this range`
  return (
    <PlotFigure
      title={info.label}
      summary={summary}
      height={260}
      options={options}
      legend={
        <ul class="legend">
          <li class="key key-drift">estimate</li>
          <li class="key key-band">bound</li>
          {limits.length > 0 && <li class="key key-limit">limit</li>}
        </ul>
      }
      table={() => ({
        columns: ['Time, UTC', 'Estimate', 'Lower', 'Upper', 'Samples'],
        rows: points.map((point) => [
          formatUtc(point.at),
          formatValue(point.value, info.unit),
          formatValue(point.lower, info.unit),
          formatValue(point.upper, info.unit),
          formatCount(point.samples),
        ]),
      })}
    />
  )
}

/** Points between two gaps, which a line alone would not show. */
function isolated(points: DriftPoint[]): DriftPoint[] {
  return points.filter(
    (point, index) =>
      point.value !== null &&
      (points[index - 1]?.value ?? null) === null &&
      (points[index + 1]?.value ?? null) === null,
  )
}

function tipText(point: DriftPoint, unit: Unit): string {
  const lines = [formatUtc(point.at), formatValue(point.value, unit)]
  if (point.lower !== null || point.upper !== null) {
    lines.push(`bound ${formatValue(point.lower, unit)} to ${formatValue(point.upper, unit)}`)
  }
  return [...lines, `${formatCount(point.samples)} samples`].join('\n')
}
