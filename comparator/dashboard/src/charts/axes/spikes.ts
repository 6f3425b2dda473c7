import { formatValue } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { timeMargins, timePlotWidth } from './utc-axis.ts'

/** Multiple of the largest limit. */
const capTimes = 3
/** Share of all values that must lie within the cap; if fewer do, the others are not spikes. */
const withinShareMin = 0.9

interface Peak {
  at: Date
  value: number
}

/**
 * The upper end of a scale that would otherwise extend to `greatest`: a few values far beyond every limit would flatten
 * everything else, so they are cut off.
 */
export function spikeCap(values: readonly number[], limits: readonly number[], greatest: number): number {
  const cap = capTimes * Math.max(0, ...limits)
  const within = values.filter((value) => value <= cap).length
  return cap > 0 && within < values.length && within >= withinShareMin * values.length ? cap : greatest
}

/** The highest value of each run beyond `cap`, to be labelled where the line is cut off. */
export function peaksOver(points: readonly { at: Date; value: number | null }[], cap: number): Peak[] {
  const peaks: Peak[] = []
  let isIn = false
  for (const { at, value } of points) {
    const isOver = value !== null && value > cap
    if (isOver && (!isIn || value > peaks.at(-1)!.value)) peaks.splice(isIn ? -1 : peaks.length, 1, { at, value })
    isIn = isOver
  }
  return peaks
}

interface PeakLabel extends Peak {
  text: string
}

const letterPx = 7
/** Between two labels; their triangle is wider than a letter. */
const gapPx = 5

/**
 * The labels of one row above the plot, moved inside where they would leave the chart. Of peaks too close to each other
 * for that, the highest has its value and the others only the mark.
 */
export function labelPeaks<Own extends Peak>(
  peaks: readonly Own[],
  unit: Unit,
  times: readonly Date[],
  width: number,
): (Own & PeakLabel)[] {
  const from = Number(times[0])
  const plotWidth = timePlotWidth(width)
  const pxPerMs = plotWidth / (Number(times.at(-1)) - from)
  const taken: [number, number][] = []
  const place = (peak: Own, text: string): (Own & PeakLabel) | null => {
    const half = (text.length * letterPx) / 2
    const reach = half + gapPx
    const px = (Number(peak.at) - from) * pxPerMs
    const centre = Math.max(half, Math.min(plotWidth + timeMargins.marginRight - half, px))
    if (taken.some(([start, end]) => centre - reach < end && centre + reach > start)) return null
    taken.push([centre - half, centre + half])
    return { ...peak, text, at: new Date(from + centre / pxPerMs) }
  }
  const highestFirst = peaks.toSorted((a, b) => b.value - a.value)
  const withValues = highestFirst.map((peak) => place(peak, `▲ ${formatValue(peak.value, unit)}`))
  return highestFirst.flatMap((peak, k) => withValues[k] ?? place(peak, '▲') ?? [])
}

/** How a peak's label is drawn where a side's line is cut off. */
export const peakText = (line: string) => ({
  x: 'at',
  frameAnchor: 'top' as const,
  lineAnchor: 'bottom' as const,
  dy: -2,
  text: 'text',
  className: `mark-text-${line}`,
})
