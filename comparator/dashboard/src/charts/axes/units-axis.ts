import type * as Plot from '@observablehq/plot'

/** Room beside the plot for half the label of a tick at its edge, such as `1,000 ms`. */
const marginX = 26
export const valuePlotWidth = (width: number) => width - 2 * marginX

/** A value axis, labelled with its units, such as °C, if the mapping names them. */
export function unitsAxis(units: string | undefined): { x: Plot.ScaleOptions } & Plot.PlotOptions {
  const margins = { marginLeft: marginX, marginRight: marginX }
  if (units === undefined) return { ...margins, x: { label: null } }
  return { ...margins, x: { label: `${units} →`, labelAnchor: 'right', labelArrow: 'none' }, marginBottom: 44 }
}
