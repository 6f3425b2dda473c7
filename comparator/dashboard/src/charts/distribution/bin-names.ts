/**
 * The names of bins that meet at `edges`: `under 1`, `1 to 2`, `from 2`. A value on an edge belongs to the bin above it,
 * and the outermost bins hold all values beyond them.
 */
export function binNames(edges: readonly number[], format: (value: number) => string): string[] {
  if (edges.length === 0) return ['all values']
  return [undefined, ...edges].map((from, index) => {
    const to = edges[index]
    if (from === undefined) return `under ${format(to!)}`
    return to === undefined ? `from ${format(from)}` : `${format(from)} to ${format(to)}`
  })
}
