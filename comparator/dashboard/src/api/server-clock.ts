/** Longer than the timeout of API calls, so that a slow response is not taken for a wrong clock. */
const toleranceMs = 20_000

let ahead = 0

/**
 * Starts correcting the clock when it is off by more than the tolerance, and stops when it is off by less than half of
 * it. Smaller differences mean nothing: `date` has whole seconds and is delayed by the network.
 */
export function noteServerTime(date: string | null): void {
  const off = Date.parse(date ?? '') - Date.now()
  ahead = Math.abs(off) > (ahead === 0 ? toleranceMs : toleranceMs / 2) ? off : 0
}

/** The comparator's time in ms since the epoch: the browser's clock or time zone may be wrong. */
export function serverNow(): number {
  return Date.now() + ahead
}
