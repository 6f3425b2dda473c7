import { dayMs, type EpochMs } from '../../vocabulary/units.ts'

/** The day, as `YYYY-MM-DD`, under which ids stand that tell no time, and rows from before there were days. */
export const undated = '1970-01-01'

/** When a UUID was made, where it says so (version 7); else `undefined`. */
export function timeOfId(id: string): EpochMs | undefined {
  return id[14] === '7' ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}

/**
 * The day of an observation. It follows from the id and from nothing else, so that an id is unique though only
 * (id, day) can be declared so: whatever a sender says of the time, a twin meets its twin in the same partition.
 */
export function dayOfId(id: string): string {
  const time = timeOfId(id)
  return time === undefined ? undated : dayOf(time)
}

let last = { number: Number.NaN, day: '' }

/** The UTC day of a time, as `YYYY-MM-DD`. Observations come a day at a time: it is nearly always that of the last. */
export function dayOf(time: EpochMs): string {
  const number = Math.floor(time / dayMs)
  if (number !== last.number) last = { number, day: new Date(time).toISOString().slice(0, 10) }
  return last.day
}
