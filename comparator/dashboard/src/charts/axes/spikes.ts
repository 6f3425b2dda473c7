import { formatValue } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'

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
  return cap > 0 && within < values.length && within >= withinShareMin * values.length
    ? Math.min(cap, greatest)
    : greatest
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

/** Label of a peak where a side's line is cut off. */
export const peakText = (line: string, unit: Unit) => ({
  x: 'at',
  frameAnchor: 'top' as const,
  lineAnchor: 'bottom' as const,
  dy: -2,
  text: ({ value }: Peak) => `▲ ${formatValue(value, unit)}`,
  className: `mark-text-${line}`,
})
