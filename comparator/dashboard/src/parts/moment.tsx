import { formatUtc, formatUtcClock, formatZones } from '../format/time.ts'

/** A time in UTC; the reader's own zone on hover. `clock`: without its day. */
export function Moment({ at, clock }: { at: string | number; clock?: boolean }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatZones(at).join(' · ')}>
      {clock ? formatUtcClock(at) : formatUtc(at)}
    </time>
  )
}
