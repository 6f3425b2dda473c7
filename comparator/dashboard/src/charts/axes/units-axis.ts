import type * as Plot from '@observablehq/plot'

/** Labels a value axis with its units, such as °C, if the mapping names them. */
export function unitsAxis(units: string | undefined): { x: Plot.ScaleOptions; marginBottom?: number } {
  if (units === undefined) return { x: { label: null } }
  return { x: { label: `${units} →`, labelAnchor: 'right', labelArrow: 'none' }, marginBottom: 44 }
}
