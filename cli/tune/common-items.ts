type Match = { place: [number, number]; before: Match | undefined }

/** Indices of a longest common subsequence in both lists (Myers, "An O(ND) Difference Algorithm", 1986). */
export function commonItems(a: readonly string[], b: readonly string[]): [number, number][] {
  const furthest = new Map<number, { x: number; last: Match | undefined }>([[1, { x: 0, last: undefined }]])
  for (let edits = 0; ; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const above = furthest.get(diagonal + 1)
      const left = furthest.get(diagonal - 1)
      let { x, last } = !left || (above && left.x < above.x) ? above! : { x: left.x + 1, last: left.last }
      for (; x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]; x++) {
        last = { place: [x, x - diagonal], before: last }
      }
      if (x >= a.length && x - diagonal >= b.length) return placesUntil(last)
      furthest.set(diagonal, { x, last })
    }
  }
}

function placesUntil(last: Match | undefined): [number, number][] {
  const places: [number, number][] = []
  for (let match = last; match; match = match.before) places.push(match.place)
  return places.reverse()
}
