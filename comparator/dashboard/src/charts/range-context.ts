import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { EpochMs } from '../../../../vocabulary/units.ts'
import type { TimeMarker } from './marker-marks.ts'
import type { PlotFigureProps } from './plot-figure.tsx'

/** The one range that all charts over time of a page share, and what happened in it. */
interface PageRange {
  /** Brushed on any chart; `null`: back to what the gate judges. */
  choose: (span: { from: EpochMs; to: EpochMs } | null) => void
  markers: readonly TimeMarker[]
}

export const RangeContext = createContext<PageRange | null>(null)

/**
 * What makes a figure one of the page's charts over time: `<PlotFigure {...useTimeAxis()} … />`. Its `options` then
 * have `x: utcAxis(…)`. Without a page around it, a figure that neither brushes nor has markers.
 */
export function useTimeAxis(): Pick<PlotFigureProps, 'onBrush' | 'markers'> {
  const page = useContext(RangeContext)
  return page === null ? {} : { onBrush: page.choose, markers: page.markers }
}
