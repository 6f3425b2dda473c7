/** The indexes of the `countMax` greatest values, greatest first; ties go to the first. */
export function mostOf(values: readonly number[], countMax: number): number[] {
  const most: number[] = []
  for (const [i, value] of values.entries()) {
    if (most.length === countMax && value <= values[most.at(-1)!]!) continue
    most.splice(most.findLastIndex((other) => values[other]! >= value) + 1, 0, i)
    if (most.length > countMax) most.pop()
  }
  return most
}
