import * as Plot from '@observablehq/plot'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { formatCounted, formatValue } from '../../format/number.ts'
import { spanText } from '../../format/span-text.ts'
import { formatZones } from '../../format/time.ts'
import { type DriftPoint, driftDomain, driftPoints, isolated } from '../../metrics/drift-points.ts'
import { legOf, metricInfo, type Unit } from '../../metrics/metric-info.ts'
import { axisTicks } from '../axes/axis-ticks.ts'
import { limitLabels } from '../axes/limit-labels.ts'
import { linesInReach } from '../axes/lines-in-reach.ts'
import { labelPeaks, peaksOver, peakText, spikeCap } from '../axes/spikes.ts'
import { timeMargins, utcAxis } from '../axes/utc-axis.ts'
import { tipBox } from '../frame/tip-box.ts'

interface DriftPlotInput {
  metrics: MetricsView
  metric: string
  limit: { min?: number; max?: number }
  height: number
  width: number
}

/** One metric over time, for pages and dossiers. */
export function driftPlot({ metrics, metric, limit: { min, max }, height, width }: DriftPlotInput): Plot.PlotOptions {
  const info = metricInfo(metric)
  const floor = metrics.noiseFloor?.bounds[metric]?.estimate ?? null
  const drawn = driftPoints(metrics, metric)
  const times = drawn.map(({ at }) => at)
  const drawnLimits = limitsInReach(
    drawn,
    [min, max].filter((value) => value !== undefined),
    info.domain,
  )
  const floors = floor === null ? [] : [floor]
  const [low, high] = driftDomain(drawn, [...drawnLimits, ...floors], info.domain)
  const cap = spikeCap(
    drawn.flatMap(({ value }) => value ?? []),
    drawnLimits,
    high,
  )
  const domain: [number, number] = [low, cap]
  const leg = legOf(metric) ?? 'drift'
  return {
    ...timeMargins,
    x: utcAxis(times, width),
    y: {
      label: null,
      grid: true,
      ticks: height < 200 ? 3 : 5,
      domain,
      tickFormat: axisTicks(info.unit),
    },
    marks: [
      Plot.areaY(drawn, {
        x: 'at',
        y1: 'lower',
        y2: 'upper',
        className: leg === 'drift' ? 'mark-band' : `mark-area-${leg}`,
        clip: true,
      }),
      Plot.ruleY(floors, { className: 'mark-floor', strokeDasharray: '8 4' }),
      Plot.ruleY(drawnLimits, { className: 'mark-limit', strokeDasharray: '2 4' }),
      Plot.lineY(drawn, { x: 'at', y: 'value', className: `mark-${leg}`, clip: true }),
      Plot.dot(
        isolated(drawn, ({ value }) => value, cap),
        { x: 'at', y: 'value', r: 2.5, className: `mark-dot-${leg}` },
      ),
      ...limitLabels(drawnLimits, [drawn.map(({ value }) => value)], { unit: info.unit, domain, height, width }),
      Plot.text(labelPeaks(peaksOver(drawn, cap), info.unit, times, width), peakText(leg)),
      Plot.ruleX(drawn, Plot.pointerX({ x: 'at', className: 'mark-pointer' })),
      Plot.tip(
        drawn,
        Plot.pointerX({
          x: 'at',
          y: ({ value }: DriftPoint) => (value === null ? null : Math.min(value, cap)),
          title: (point: DriftPoint) => tipText(point, info.unit),
          ...tipBox,
        }),
      ),
    ],
  }
}

/** The limits that can be drawn together with the line and its band. */
export function limitsInReach(points: DriftPoint[], limits: number[], domain: [number, number]): number[] {
  const known = points.filter(({ value }) => value !== null)
  return linesInReach(known.length === 0 ? [] : driftDomain(known, [], domain), limits)
}

function tipText(point: DriftPoint, unit: Unit): string {
  const bound = spanText(point, unit, undefined)
  return [
    ...formatZones(point.at),
    formatValue(point.value, unit),
    ...(bound === null ? [] : [`bound ${bound}`]),
    formatCounted(point.samples, 'sample'),
  ].join('\n')
}
