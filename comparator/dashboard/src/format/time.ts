import { noBreak } from './no-break.ts'

/** Every time on the page is in UTC; the tooltip shows the reader's own time zone. */

/** `2026-11-21 12:31:04 UTC`. */
export function formatUtc(at: string | number | Date): string {
  const iso = new Date(at).toISOString()
  return `${iso.slice(0, 10)} ${noBreak(`${iso.slice(11, 19)} UTC`)}`
}

/** Time of day alone: `12:31:04 UTC`. */
export function formatUtcClock(at: string | number | Date): string {
  return noBreak(`${new Date(at).toISOString().slice(11, 19)} UTC`)
}

const localForm = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})

/** For tooltips, beside the UTC time with its year: the same moment in the reader's time zone. */
function formatLocal(at: string | number | Date): string {
  return `${localForm.format(new Date(at))}, your time`
}

/** Lines for tooltips: UTC and, unless it is the same, the reader's local time. */
export function formatZones(at: string | number | Date): string[] {
  const isUtc = new Date(at).getTimezoneOffset() === 0
  return isUtc ? [formatUtc(at)] : [formatUtc(at), formatLocal(at)]
}

const spans = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** A span in its two largest units: `41 s`, `2 h 5 min`, `30 d`. */
export function formatSpan(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / 1000) * 1000)
  const first = spans.findIndex(([, size]) => whole >= size)
  if (first === -1) return noBreak('0 s')
  const [unit, size] = spans[first]!
  const head = noBreak(`${Math.floor(whole / size)} ${unit}`)
  const next = spans[first + 1]
  const rest = next ? Math.floor((whole % size) / next[1]) : 0
  return rest > 0 ? `${head} ${noBreak(`${rest} ${next![0]}`)}` : head
}

/** A span in its largest unit alone, rounded down: `12 min`. */
export function formatLargest(ms: number): string {
  const [unit, size] = spans.find(([, size]) => ms >= size) ?? spans.at(-1)!
  return noBreak(`${Math.max(0, Math.floor(ms / size))} ${unit}`)
}

/** `just now`, `12 s ago`, `3 min ago`. Times in the future count as now. */
export function formatAge(ms: number): string {
  if (ms < 1500) return 'just now'
  return `${formatLargest(ms)} ago`
}

/** Ticks of a UTC axis over a span: as much of a time as tells each from all others of the span. */
export function formatUtcTick(at: Date, spanMs: number): string {
  const iso = at.toISOString()
  if (spanMs < 5 * 60_000) return iso.slice(11, 19)
  if (spanMs < 86_400_000) return iso.slice(11, 16)
  return spanMs < 5 * 86_400_000 ? `${iso.slice(5, 10)} ${iso.slice(11, 16)}` : iso.slice(5, 10)
}
