import * as Plot from '@observablehq/plot'
import type { MetricsView } from '../../../../../vocabulary/api/metrics.ts'
import { type Leg, legs } from '../../../../../vocabulary/leg.ts'
import { digitsFor, formatCounted, formatValue } from '../../format/number.ts'
import { spanText } from '../../format/span-text.ts'
import { formatZones } from '../../format/time.ts'
import { type DriftPoint, driftDomain, driftPoints, isolated } from '../../metrics/drift-points.ts'
import { metricInfo, type Unit } from '../../metrics/metric-info.ts'
import { axisTicks } from '../axes/axis-ticks.ts'
import { limitLabels } from '../axes/limit-labels.ts'
import { labelPeaks, peaksOver, peakText, spikeCap } from '../axes/spikes.ts'
import { timeMargins, utcAxis } from '../axes/utc-axis.ts'
import { tipBox } from '../frame/tip-box.ts'

interface LegsPlotInput {
  metrics: MetricsView
  /** The metric of each side. */
  names: Record<Leg, string>
  /** Drawn unless they would flatten the lines. */
  limits: readonly number[]
  /** Whether the axis begins at zero. */
  zero: boolean
  height: number
  width: number
}

interface Step {
  at: Date
  primary: DriftPoint
  candidate: DriftPoint
}

/** A limit more than this many times the largest value is not drawn but stated in words. */
const limitReach = 2.5

/** One metric of both sides over time, each in its band. */
export function legsPlot({ metrics, names, limits, zero, height, width }: LegsPlotInput): Plot.PlotOptions {
  const info = metricInfo(names.candidate)
  const drawn = stepsOf(metrics, names)
  const times = drawn.map(({ at }) => at)
  const near = limitsNear(drawn, limits)
  const known = drawn.filter((step) => legs.some((leg) => step[leg].value !== null))
  const points = drawn.flatMap((step) => legs.map((leg) => step[leg]))
  const [low, high] = legsDomain(points, near, info.domain)
  const cap = spikeCap(
    points.flatMap(({ value }) => value ?? []),
    near,
    high,
  )
  const lines = legs.map((leg) => drawn.map((step) => step[leg].value))
  const peaksOf = (leg: Leg) =>
    peaksOver(
      drawn.map((step) => step[leg]),
      cap,
    ).map((peak) => ({ ...peak, leg }))
  const peaks = labelPeaks(legs.flatMap(peaksOf), info.unit, times, width)
  const domain: [number, number] = [zero ? Math.min(0, low) : low, cap]
  return {
    ...timeMargins,
    x: utcAxis(times, width),
    y: {
      label: null,
      grid: true,
      ticks: 5,
      domain,
      tickFormat: axisTicks(info.unit),
    },
    marks: [
      ...legs.map((leg) =>
        Plot.areaY(drawn, {
          x: 'at',
          y1: (step: Step) => step[leg].lower,
          y2: (step: Step) => step[leg].upper,
          className: `mark-band-${leg}`,
          clip: true,
        }),
      ),
      Plot.ruleY(near, { className: 'mark-limit', strokeDasharray: '2 4' }),
      ...legs.flatMap((leg) => [
        Plot.lineY(drawn, { x: 'at', y: (step: Step) => step[leg].value, className: `mark-${leg}`, clip: true }),
        Plot.dot(
          isolated(drawn, (step) => step[leg].value, cap),
          {
            x: 'at',
            y: (step: Step) => step[leg].value,
            r: 3,
            symbol: leg === 'primary' ? 'circle' : 'diamond',
            className: `mark-dot-${leg}`,
          },
        ),
      ]),
      // drawn above both lines, so that neither crosses it out
      ...limitLabels(near, lines, { unit: info.unit, domain, height, width }),
      ...legs.map((leg) =>
        Plot.text(
          peaks.filter((peak) => peak.leg === leg),
          peakText(leg),
        ),
      ),
      Plot.ruleX(known, Plot.pointerX({ x: 'at', className: 'mark-pointer' })),
      Plot.tip(
        known,
        Plot.pointerX({
          x: 'at',
          y: (step: Step) => Math.min(step.candidate.value ?? step.primary.value!, cap),
          title: (step: Step) => tipText(step, info.unit),
          ...tipBox,
        }),
      ),
    ],
  }
}

/** The limits that are drawn; the others lie beyond the scale. */
export function limitsNear(steps: readonly Step[], limits: readonly number[]): number[] {
  const values = steps.flatMap((step) => legs.flatMap((leg) => step[leg].value ?? []))
  const greatest = Math.max(0, ...values)
  return limits.filter((limit) => limit <= greatest * limitReach)
}

export function stepsOf(metrics: MetricsView, names: Record<Leg, string>): Step[] {
  const candidate = driftPoints(metrics, names.candidate)
  return driftPoints(metrics, names.primary).map((primary, index) => ({
    at: primary.at,
    primary,
    candidate: candidate[index]!,
  }))
}

/** Like the domain of one line, but a band may extend it by no more than the lines' own spread above and below. */
function legsDomain(points: DriftPoint[], limits: number[], clip: [number, number]): [number, number] {
  const [low, high] = driftDomain(points, limits, clip)
  const values = [...points.flatMap(({ value }) => value ?? []), ...limits]
  if (values.length === 0) return [low, high]
  const [least, greatest] = [Math.min(...values), Math.max(...values)]
  const room = greatest - least || Math.abs(greatest) * 0.1 || 1
  return [Math.max(low, least - room), Math.min(high, greatest + room)]
}

function tipText(step: Step, unit: Unit): string {
  const side = (leg: Leg) => {
    const { value, lower, upper } = step[leg]
    const digits = digitsFor(value, lower, upper, unit)
    const bound = spanText({ lower, upper }, unit, digits)
    const text = bound === null ? formatValue(value, unit) : `${formatValue(value, unit, digits)}, ${bound}`
    return `${leg.padEnd(9)}  ${text}`
  }
  return [
    ...formatZones(step.at),
    side('primary'),
    side('candidate'),
    formatCounted(step.primary.samples, 'sample'),
  ].join('\n')
}
