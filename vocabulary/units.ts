/** Times are milliseconds and sizes are bytes everywhere in the code; only YAML spells units. */
export type Milliseconds = number
export type Bytes = number
/** Milliseconds since the Unix epoch. */
export type EpochMs = number
/** Of a clock that never goes backwards and began at an arbitrary time: only differences are meaningful. */
export type MonotonicMs = number

/** From `from` until just before `to`. */
export interface TimeSpan {
  from: EpochMs
  to: EpochMs
}

export const minuteMs: Milliseconds = 60_000
export const hourMs: Milliseconds = 60 * minuteMs
export const dayMs: Milliseconds = 24 * hourMs
/**
 * Timers take at most 24.8 days and fire at once if given more; the margin is for durations that are added together.
 */
export const timerMsMax: Milliseconds = 24 * dayMs

const durationUnits: Record<string, Milliseconds> = { ms: 1, s: 1e3, m: 60e3, h: 3600e3, d: 86_400e3 }
const sizeUnits: Record<string, Bytes> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 }

export const durationPattern = '^\\d+(\\.\\d+)?(ms|s|m|h|d)$'
export const sizePattern = '^\\d+(\\.\\d+)?(B|KiB|MiB|GiB|TiB)$'

/** `30d`, `10m`, `2ms` → milliseconds. Throws a `RangeError` on anything else. */
export function parseDuration(text: string): Milliseconds {
  return parseQuantity(text, durationPattern, durationUnits, 'a duration such as 30d, 10m, 10s or 2ms')
}

/** `1MiB`, `512KiB` → bytes. Throws a `RangeError` on anything else. */
export function parseSize(text: string): Bytes {
  return Math.floor(parseQuantity(text, sizePattern, sizeUnits, 'a size such as 1MiB, 512KiB or 1GiB'))
}

function parseQuantity(text: string, pattern: string, units: Record<string, number>, expected: string): number {
  const match = new RegExp(pattern).exec(text)
  if (!match) throw new RangeError(`expected ${expected}, got ${JSON.stringify(text)}`)
  return Number.parseFloat(text) * units[match[2]!]!
}
