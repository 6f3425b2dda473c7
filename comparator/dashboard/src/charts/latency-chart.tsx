import * as Plot from '@observablehq/plot'
import { useCallback } from 'preact/hooks'
import type { MetricsView } from '../../../../vocabulary/api.ts'
import { formatMs, formatValue } from '../format/number.ts'
import { formatUtc } from '../format/time.ts'
import { valueAt } from '../metrics/value-at.ts'
import { LegLegend } from './leg-legend.tsx'
import { legs } from './legs.ts'
import { PlotFigure } from './plot-figure.tsx'
import { utcAxis } from './utc-axis.ts'

const quantiles = ['p50', 'p95'] as const

interface Step {
  at: Date
  primary: { p50: number | null; p95: number | null }
  candidate: { p50: number | null; p95: number | null }
}

function stepsOf(metrics: MetricsView): Step[] {
  return metrics.series.map((step) => {
    const side = (leg: string) => ({
      p50: valueAt(step, `latency.${leg}.p50`),
      p95: valueAt(step, `latency.${leg}.p95`),
    })
    return { at: new Date(step.at), primary: side('primary'), candidate: side('candidate') }
  })
}

/** Median and p95 of both sides over time; p95 is the thinner line of each pair. */
export function LatencyChart({ metrics }: { metrics: MetricsView }) {
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const steps = stepsOf(metrics)
      const known = steps.filter((step) => step.primary.p50 !== null || step.candidate.p50 !== null)
      const last = steps.findLast((step) => step.primary.p50 !== null && step.candidate.p50 !== null)
      return {
        marginLeft: 60,
        marginRight: 34,
        x: utcAxis(
          steps.map(({ at }) => at),
          width,
        ),
        y: { label: null, grid: true, ticks: 5, zero: true, nice: true, tickFormat: (ms: number) => tickMs(ms) },
        marks: [
          ...legs.flatMap((leg) =>
            quantiles.map((quantile) =>
              Plot.lineY(steps, {
                x: 'at',
                y: (step: Step) => step[leg][quantile],
                className: `mark-${leg} mark-${quantile}`,
              }),
            ),
          ),
          ...(last
            ? legs.flatMap((leg) =>
                quantiles.map((quantile) =>
                  Plot.text([last], {
                    x: 'at',
                    y: (step: Step) => step[leg][quantile],
                    text: () => quantile,
                    dx: 6,
                    dy: quantile === 'p95' ? -6 : 6,
                    textAnchor: 'start',
                    className: `mark-text-${leg}`,
                  }),
                ),
              )
            : []),
          Plot.ruleX(known, Plot.pointerX({ x: 'at', className: 'mark-pointer' })),
          Plot.tip(
            known,
            Plot.pointerX({
              x: 'at',
              y: (step: Step) => step.primary.p95 ?? step.candidate.p95,
              title: tipText,
              textPadding: 10,
              lineHeight: 1.4,
            }),
          ),
        ],
      }
    },
    [metrics],
  )

  const total = (name: string) => formatValue(valueAt(metrics.totals, name), 'ms')
  const summary =
    `Latency over time. Primary median ${total('latency.primary.p50')}, p95 ${total('latency.primary.p95')}; ` +
    `candidate median ${total('latency.candidate.p50')}, p95 ${total('latency.candidate.p95')}.`
  return (
    <PlotFigure
      title="Latency over time"
      summary={summary}
      height={240}
      options={options}
      legend={<LegLegend />}
      table={() => ({
        columns: ['Time, UTC', 'Primary p50', 'Primary p95', 'Candidate p50', 'Candidate p95'],
        rows: stepsOf(metrics).map(({ at, primary, candidate }) => [
          formatUtc(at),
          ...[primary.p50, primary.p95, candidate.p50, candidate.p95].map((ms) => formatValue(ms, 'ms')),
        ]),
      })}
    />
  )
}

function tickMs(ms: number): string {
  return ms === 0
    ? '0'
    : formatMs(ms)
        .replace(/\.0+ /, ' ')
        .replace(/(\.\d*?)0+ /, '$1 ')
}

function tipText({ at, primary, candidate }: Step): string {
  return [
    formatUtc(at),
    `primary    p50 ${formatValue(primary.p50, 'ms')}, p95 ${formatValue(primary.p95, 'ms')}`,
    `candidate  p50 ${formatValue(candidate.p50, 'ms')}, p95 ${formatValue(candidate.p95, 'ms')}`,
  ].join('\n')
}
