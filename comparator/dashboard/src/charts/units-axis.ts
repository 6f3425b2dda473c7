import type * as Plot from '@observablehq/plot'

/** What an axis of values is in, named at its end where the mapping names it, such as °C. */
export function unitsAxis(units: string | undefined): { x: Plot.ScaleOptions; marginBottom?: number } {
  if (units === undefined) return { x: { label: null } }
  return { x: { label: `${units} →`, labelAnchor: 'right', labelArrow: 'none' }, marginBottom: 44 }
}
