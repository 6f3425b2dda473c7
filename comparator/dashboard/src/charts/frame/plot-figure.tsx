import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { EpochMs } from '../../../../../vocabulary/units.ts'
import { formatZones } from '../../format/time.ts'
import { ChartTable, type ChartTableData } from './chart-table.tsx'
import { Downloads } from './downloads.tsx'
import { drawWhenNear } from './draw-when-near.ts'
import { markerMarks, placeMarkers, type TimeMarker } from './marker-marks.ts'
import { type TimeScale, useBrush } from './use-brush.ts'
import { useWidth } from './use-width.ts'

export interface PlotFigureProps {
  title: string
  /** The chart in one sentence, for people who cannot see it. */
  summary: string
  height: number
  /** Must be stable while nothing has changed: a new identity redraws the chart. */
  options: (width: number) => Plot.PlotOptions
  table: () => ChartTableData
  legend?: ComponentChildren
  /** Replaces the title if it is more than text: a button or a link. */
  heading?: ComponentChildren
  /** A note below the chart. */
  note?: ComponentChildren
  /**
   * For charts over time (with `x: utcAxis`): called when a span is selected by dragging, or with `null` when a double
   * click clears it.
   */
  onBrush?: (span: { from: EpochMs; to: EpochMs } | null) => void
  /** For charts over time: events during the period. */
  markers?: readonly TimeMarker[]
}

const margins = { marginTop: 16, marginRight: 16, marginBottom: 32, marginLeft: 48 }
const marginTopWithMarkers = 30

/**
 * The frame of every chart: follows its container's width, keeps its tooltip when figures are updated, and offers a
 * table and downloads. Charts over time also take `{...useTimeAxis()}`.
 */
export function PlotFigure(props: PlotFigureProps) {
  const { title, summary, height, options, table, legend, heading, note, onBrush, markers } = props
  const holder = useRef<HTMLDivElement>(null)
  const chart = useRef<((SVGSVGElement | HTMLElement) & Plot.Plot) | null>(null)
  const pointer = useRef<PointerEventInit | null>(null)
  const width = useWidth(holder)
  useBrush(holder, () => timeScaleOf(chart.current), onBrush)

  useLayoutEffect(() => {
    if (width === 0 || holder.current === null) return
    return drawWhenNear(holder.current, (widthMax) => {
      const own = Math.min(width, widthMax)
      const whole = { width: own, height, ...margins, className: 'plot', ...options(own) }
      const drawn = Plot.plot(withMarkers(whole, markers))
      drawn.setAttribute('aria-hidden', 'true')
      // our stylesheet has the same rules, so that the page's policy can forbid inline styles
      drawn.querySelector('style')?.remove()
      chart.current?.remove()
      chart.current = drawn
      holder.current?.prepend(drawn)
      holder.current?.removeAttribute('aria-busy')
      // keeps the tooltip open when the chart is redrawn with new figures
      if (pointer.current) drawn.dispatchEvent(new PointerEvent('pointermove', pointer.current))
    })
  }, [width, height, options, markers])

  return (
    <figure class="figure">
      <figcaption>
        {heading ?? <span class="figure-title">{title}</span>}
        {legend}
      </figcaption>
      <div
        class={onBrush ? 'plot-holder plot-brushable' : 'plot-holder'}
        role="img"
        aria-label={summary}
        ref={holder}
        style={{ '--chart-height': `${height}px` }}
        onPointerMove={({ clientX, clientY, pointerType }) => {
          pointer.current = { clientX, clientY, pointerType }
        }}
        onPointerLeave={() => {
          pointer.current = null
        }}
      />
      {note}
      <div class="figure-foot">
        <ChartTable title={title} table={table} />
        <Downloads title={title} table={table} />
      </div>
    </figure>
  )
}

function withMarkers(options: Plot.PlotOptions, markers: readonly TimeMarker[] = []): Plot.PlotOptions {
  const { width = 0, marginLeft = 0, marginRight = 0, x, marks = [] } = options
  const domain = [...((x?.domain as Iterable<Date> | undefined) ?? [])].map(Number)
  if (domain.length < 2 || !markers.some(({ at }) => at >= domain[0]! && at <= domain.at(-1)!)) return options
  const placed = placeMarkers(markers, [domain[0]!, domain.at(-1)!], width - marginLeft - marginRight)
  const titleOf = ({ at, kind }: TimeMarker) => {
    const { label } = markers.find((marker) => marker.at === at && marker.kind === kind)!
    return [label, ...formatZones(at)].join('\n')
  }
  return { ...options, marginTop: marginTopWithMarkers, marks: [...markerMarks(placed, titleOf), ...marks] }
}

function timeScaleOf(chart: Plot.Plot | null): TimeScale | null {
  const x = chart?.scale('x')
  if (!x?.invert || !x.range) return null
  const [from, to] = [...x.range].map(Number) as [number, number]
  return { area: [from, to], timeAt: (px) => Number(x.invert!(px)) }
}
