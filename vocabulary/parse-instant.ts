import type { EpochMs } from './units.ts'

/**
 * Parses an ISO 8601 time with its zone; NaN if the date does not exist, where `Date.parse` reads 30 February as 2
 * March.
 */
export function parseInstant(text: string): EpochMs {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number)
  const isDay = day! <= 28 || day! <= new Date(Date.UTC(year!, month!, 0)).getUTCDate()
  return isDay ? Date.parse(text) : Number.NaN
}
