import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { ChartTable, type ChartTableData } from './chart-table.tsx'
import { useWidth } from './use-width.ts'

interface PlotFigureProps {
  title: string
  /** The chart in a sentence, for who cannot see it. */
  summary: string
  height: number
  /** Stable while nothing changed: its identity decides when the chart is drawn again. */
  options: (width: number) => Plot.PlotOptions
  table: () => ChartTableData
  legend?: ComponentChildren
}

/** A Plot chart that follows its container's width, stands still under the pointer, and carries its own table. */
export function PlotFigure({ title, summary, height, options, table, legend }: PlotFigureProps) {
  const holder = useRef<HTMLDivElement>(null)
  const pointed = useRef(false)
  const waiting = useRef<(() => void) | null>(null)
  const width = useWidth(holder)

  useEffect(() => {
    if (width === 0) return
    const draw = () => {
      const chart = Plot.plot({
        width,
        height,
        marginTop: 16,
        marginRight: 16,
        marginBottom: 32,
        marginLeft: 48,
        className: 'plot',
        ...options(width),
      })
      chart.setAttribute('aria-hidden', 'true')
      // The same rules stand in our stylesheet, so that the page's policy can forbid inline styles.
      chart.querySelector('style')?.remove()
      holder.current?.replaceChildren(chart)
    }
    // A chart redrawn under the pointer would lose its tooltip; it catches up when the pointer leaves.
    if (pointed.current && holder.current?.firstChild) waiting.current = draw
    else draw()
  }, [width, height, options])

  return (
    <figure class="figure">
      <figcaption>
        <span class="figure-title">{title}</span>
        {legend}
      </figcaption>
      <div
        class="plot-holder"
        role="img"
        aria-label={summary}
        ref={holder}
        style={{ minHeight: `${height}px` }}
        onPointerEnter={() => {
          pointed.current = true
        }}
        onPointerLeave={() => {
          pointed.current = false
          waiting.current?.()
          waiting.current = null
        }}
      />
      <ChartTable title={title} table={table} />
    </figure>
  )
}
