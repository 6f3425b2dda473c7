/** A slow answer is no clock that goes wrong: longer than the API's calls are waited for. */
const toleranceMs = 20_000

let ahead = 0

/** Once it goes wrong, it is set right until it is near: `date` has whole seconds, and took its time to come. */
export function noteServerTime(date: string | null): void {
  const off = Date.parse(date ?? '') - Date.now()
  ahead = Math.abs(off) > (ahead === 0 ? toleranceMs : toleranceMs / 2) ? off : 0
}

/** Milliseconds since the epoch as the comparator has it: the browser's own clock may be hours off, or its zone wrong. */
export function serverNow(): number {
  return Date.now() + ahead
}
