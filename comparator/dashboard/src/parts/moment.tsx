import { formatLocal, formatUtc, formatUtcClock } from '../format/time.ts'

/** A time in UTC; the reader's own zone on hover. */
export function Moment({ at, clock }: { at: string; clock?: boolean }) {
  return (
    <time dateTime={at} title={clock ? `${formatUtc(at)} · ${formatLocal(at)}` : formatLocal(at)}>
      {clock ? formatUtcClock(at) : formatUtc(at)}
    </time>
  )
}
