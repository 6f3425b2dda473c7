const yearHours = 365 * 24

/** A phrase to show instead of a duration (and the number of windows) that is too long to be informative; else null. */
export function overAYear(hours: number): string | null {
  return hours > yearHours ? 'more than a year, so not at this rate' : null
}
