import * as Plot from '@observablehq/plot'
import type { Unit } from '../../metrics/metric-info.ts'
import { limitOnAxis } from './axis-ticks.ts'
import { timePlotWidth } from './utc-axis.ts'

/** Room beside a limit's line for its label. */
const roomPx = 18
/** Length of a label, at the right end of its line. */
const lengthPx = 90

interface Axis {
  unit: Unit
  domain: readonly [number, number]
  /** Of the chart. */
  height: number
  width: number
}

/**
 * The labels of the limits of a chart over time. One near the top of the plot is below its line, because event markers
 * are above the plot; so is the lower one of two, which may be close to each other, and one that would otherwise lie on
 * the newest values of the `lines`.
 */
export function limitLabels(
  limits: readonly number[],
  lines: readonly (readonly (number | null)[])[],
  { unit, domain: [low, high], height, width }: Axis,
): Plot.Markish[] {
  const pxPerUnit = height / (high - low)
  const newest = lines.flatMap((line) => line.slice(-Math.ceil((line.length * lengthPx) / timePlotWidth(width))))
  /** How many of the newest values are where the label would be. */
  const within = (from: number, to: number) =>
    newest.filter((value) => value !== null && value > from && value < to).length
  const isBelow = (limit: number) => {
    const room = roomPx / pxPerUnit
    if (high - limit < room) return true
    return limit - low > room && within(limit, limit + room) > within(limit - room, limit)
  }
  return limits.map((limit, k) =>
    Plot.text([limit], {
      y: (value: number) => value,
      frameAnchor: 'right',
      text: (value: number) => `limit ${limitOnAxis(value, unit, high)}`,
      dy: isBelow(limit) || k < limits.length - 1 ? 8 : -7,
      className: 'mark-limit-text',
    }),
  )
}
