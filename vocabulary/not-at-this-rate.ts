const yearHours = 365 * 24

/** Instead of a length of time, and of how many windows that is, where it is so long that the figures tell nothing. */
export function notAtThisRate(hours: number): string | null {
  return hours > yearHours ? 'more than a year, so not at this rate' : null
}
