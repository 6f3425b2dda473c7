import { dayMs, type EpochMs } from '../../../vocabulary/units.ts'

/** The day (`YYYY-MM-DD`) of ids without a time in them, and of rows from before tables were partitioned by day. */
export const undated = '1970-01-01'

/** The time in a UUID of version 7; `undefined` for other versions. */
export function timeOfId(id: string): EpochMs | undefined {
  return id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}

/**
 * The day of an observation. It depends on the id alone, which makes ids unique although only (id, day) can be declared
 * unique: a duplicate lands in the same partition, whatever time its sender gives.
 */
export function dayOfId(id: string): string {
  const time = timeOfId(id)
  return time === undefined ? undated : dayOf(time)
}

let last = { number: Number.NaN, day: '' }

/** The UTC day of a time, as `YYYY-MM-DD`. The last one is kept, as observations are nearly always of the same day. */
export function dayOf(time: EpochMs): string {
  const number = Math.floor(time / dayMs)
  if (number !== last.number) last = { number, day: new Date(time).toISOString().slice(0, 10) }
  return last.day
}
