import { useCallback } from 'preact/hooks'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { type Leg, legs } from '../../../../../vocabulary/leg.ts'
import { formatCount, formatValue } from '../../format/number.ts'
import { formatUtc } from '../../format/time.ts'
import { metricInfo } from '../../metrics/metric-info.ts'
import { valueAt } from '../../metrics/value-at.ts'
import { limitOnAxis } from '../axes/axis-ticks.ts'
import { LegLegend } from '../frame/leg-legend.tsx'
import { PlotFigure } from '../frame/plot-figure.tsx'
import { useTimeAxis } from '../frame/range-context.ts'
import { legsPlot, limitsNear, stepsOf } from './legs-plot.ts'

interface LegsChartProps {
  title: string
  metrics: MetricsView
  /** The metric of each side. Must be stable. */
  names: Record<Leg, string>
  /** Drawn unless they would flatten the lines. Must be stable. */
  limits: readonly number[]
  /** Whether the axis begins at zero. */
  zero?: boolean
}

const height = 240

/** One metric of both sides over time, each in its band. */
export function LegsChart({ title, metrics, names, limits, zero = false }: LegsChartProps) {
  const info = metricInfo(names.candidate)
  const steps = stepsOf(metrics, names)
  const near = limitsNear(steps, limits)
  const time = useTimeAxis()

  const options = useCallback(
    (width: number) => legsPlot({ metrics, names, limits, zero, height, width }),
    [metrics, names, limits, zero],
  )

  const total = (leg: Leg) => formatValue(valueAt(metrics.totals, names[leg]), info.unit)
  return (
    <PlotFigure
      {...time}
      title={title}
      summary={`${title}. Over the range: primary ${total('primary')}, candidate ${total('candidate')}.`}
      height={height}
      options={options}
      legend={
        <LegLegend>
          {near.length > 0 && <li class="key key-limit">{near.length === 1 ? 'limit' : 'limits'}</li>}
          {limits
            .filter((limit) => !near.includes(limit))
            .map((limit) => (
              <li key={limit}>limit {limitOnAxis(limit, info.unit)}, beyond the scale</li>
            ))}
        </LegLegend>
      }
      table={() => ({
        columns: [
          'Time, UTC',
          'Primary',
          'Primary, lower',
          'Primary, upper',
          'Candidate',
          'Candidate, lower',
          'Candidate, upper',
          'Samples',
        ],
        rows: steps.map((step) => [
          { text: formatUtc(step.at), value: step.at.toISOString() },
          ...legs.flatMap((leg) =>
            [step[leg].value, step[leg].lower, step[leg].upper].map((value) => ({
              text: formatValue(value, info.unit),
              value,
            })),
          ),
          { text: formatCount(step.primary.samples), value: step.primary.samples },
        ]),
      })}
    />
  )
}
