import type { EpochMs } from './units.ts'

/**
 * An ISO 8601 time with its zone; NaN of one that does not exist. `Date.parse` takes the 30th of February for the 2nd of
 * March.
 */
export function parseInstant(text: string): EpochMs {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  const isDay = day! <= 28 || day! <= new Date(Date.UTC(year!, month!, 0)).getUTCDate()
  return isDay ? Date.parse(text) : Number.NaN
}
