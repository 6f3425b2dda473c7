import { formatUtc, formatUtcClock, formatZones } from '../format/time.ts'

/** A time in UTC, with the reader's own time zone on hover. `clock`: the time of day only. */
export function Moment({ at, clock }: { at: string | number; clock?: boolean }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatZones(at).join(' · ')}>
      {clock ? formatUtcClock(at) : formatUtc(at)}
    </time>
  )
}
