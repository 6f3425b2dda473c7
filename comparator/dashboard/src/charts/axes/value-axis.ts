import type * as Plot from '@observablehq/plot'
import type { Unit } from '../../metrics/metric-info.ts'
import { axisTicks } from './axis-ticks.ts'
import { logTicks } from './log-ticks.ts'
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

/** The x axis of a distribution, and the margins that its labels need. */
export function valueAxis({ domain, isLogarithmic, unit, units, width }: ValueAxisInput): Plot.PlotOptions {
  const { x, ...margins } = unitsAxis(units)
  const tickFormat = axisTicks(unit, isLogarithmic ? domain : undefined)
  const round = isLogarithmic ? logTicks(domain, valuePlotWidth(width), tickFormat) : []
  return {
    ...margins,
    x: {
      type: isLogarithmic ? 'log' : 'linear',
      domain,
      ...x,
      ticks: round.length > 1 ? round : Math.max(2, Math.floor(width / 110)),
      tickFormat,
    },
  }
}
