import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { EpochMs } from '../../../../../vocabulary/units.ts'
import type { TimeMarker } from './marker-marks.ts'
import type { PlotFigureProps } from './plot-figure.tsx'

/** The range shared by all of a page's charts over time, and the events in it. */
interface PageRange {
  /** Called with a span selected on any chart; `null` returns to the range that the gate judges. */
  choose: (span: { from: EpochMs; to: EpochMs } | null) => void
  markers: readonly TimeMarker[]
}

export const RangeContext = createContext<PageRange | null>(null)

/**
 * Makes a figure one of the page's charts over time: `<PlotFigure {...useTimeAxis()} … />`, whose `options` must have
 * `x: utcAxis(…)`. Outside a page, the figure has no range selection and no markers.
 */
export function useTimeAxis(): Pick<PlotFigureProps, 'onBrush' | 'markers'> {
  const page = useContext(RangeContext)
  return page === null ? {} : { onBrush: page.choose, markers: page.markers }
}
