import * as Plot from '@observablehq/plot'
import type { Unit } from '../../metrics/metric-info.ts'
import { axisTicks } from './axis-ticks.ts'
import { logTicks } from './log-ticks.ts'
import { roundTicks } from './round-ticks.ts'
import { unitsAxis, valuePlotWidth } from './units-axis.ts'

interface ValueAxisInput {
  domain: [number, number]
  isLogarithmic: boolean
  unit: Unit
  /** Units of the values, if the mapping names them. */
  units: string | undefined
  /** Width of the chart. */
  width: number
}

/** The x axis of a distribution, the margins that its labels need, and the marks that it consists of, if any. */
export function valueAxis({ domain, isLogarithmic, unit, units, width }: ValueAxisInput): Plot.PlotOptions & {
  marks: Plot.Markish[]
} {
  const { x: label, ...margins } = unitsAxis(units)
  const tickFormat = axisTicks(unit, isLogarithmic ? domain : undefined)
  const round = isLogarithmic ? logTicks(domain, valuePlotWidth(width), tickFormat) : []
  const scale = { type: isLogarithmic ? 'log' : 'linear', domain } as const
  if (round.length < 2) {
    const ticks = isLogarithmic ? Math.max(2, Math.floor(width / 110)) : linearTicks(domain, valuePlotWidth(width))
    return { ...margins, x: { ...scale, ...label, ticks, tickFormat }, marks: [] }
  }
  // the axis that a logarithmic scale has by itself leaves out labels by a rule of its own
  const axis = Plot.axisX(round, { ...label, text: (tick: number) => tickFormat(tick) })
  return { ...margins, x: { ...scale, label: label.label, axis: null }, marks: [axis] }
}

/** Room for a label such as `−1,000 ms`. */
const labelPx = 70

/** At least two, which give a reader the scale: five steps always contain two ticks. */
function linearTicks([from, to]: readonly [number, number], plotWidth: number): number[] {
  const most = Math.max(2, Math.floor(plotWidth / labelPx))
  let ticks = roundTicks(from, to, most)
  for (let count = most + 1; ticks.length < 2 && count <= 5; count++) ticks = roundTicks(from, to, count)
  return ticks
}
