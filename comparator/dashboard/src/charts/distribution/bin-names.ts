import { formatValue } from '../../format/number.ts'
import type { Unit } from '../../metrics/metric-info.ts'

/**
 * The names of bins that meet at `edges`: `under 1`, `1 to 2`, `from 2`. A value on an edge belongs to the bin above it,
 * and the outermost bins hold all values beyond them. Bins of counts are named by the counts they hold: `3`, `4 to 6`.
 */
export function binNames(edges: readonly number[], unit: Unit): string[] {
  if (edges.length === 0) return ['all values']
  const format = (edge: number) => formatValue(edge, unit)
  return [undefined, ...edges].map((from, index) => {
    const to = edges[index]
    if (from === undefined) return `under ${format(to!)}`
    if (to === undefined) return `from ${format(from)}`
    const last = unit === 'count' ? format(Math.round(to) - 1) : format(to)
    return unit === 'count' && last === format(from) ? last : `${format(from)} to ${last}`
  })
}
