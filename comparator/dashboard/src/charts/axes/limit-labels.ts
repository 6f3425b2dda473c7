import * as Plot from '@observablehq/plot'
import type { Unit } from '../../metrics/metric-info.ts'
import { limitOnAxis } from './axis-ticks.ts'

/** Room above a limit's line for its label. */
const roomPx = 18

interface Axis {
  unit: Unit
  domain: readonly [number, number]
  /** Height of the chart. */
  height: number
}

/**
 * The labels of the limits of a chart over time. One near the top of the plot is below its line, because event markers
 * are above the plot; so is the lower one of two, which may be close to each other.
 */
export function limitLabels(limits: readonly number[], { unit, domain: [low, high], height }: Axis): Plot.Markish[] {
  const isNearTop = (limit: number) => ((high - limit) / (high - low)) * height < roomPx
  return limits.map((limit, k) =>
    Plot.text([limit], {
      y: (value: number) => value,
      frameAnchor: 'right',
      text: (value: number) => `limit ${limitOnAxis(value, unit, high)}`,
      dy: isNearTop(limit) || k < limits.length - 1 ? 8 : -7,
      className: 'mark-limit-text',
    }),
  )
}
