import { CliFailure } from '../failure.ts'

const busyLookMs = 1_000
const busyWarning = 0.1
const busyRefusal = 0.4

/**
 * Measurements on a busy machine mean nothing. Returns a warning if other processes use some of the CPU, and throws a
 * `CliFailure` if they use too much.
 */
export async function requireQuiet(
  busy: (durationMs: number) => Promise<number | undefined>,
  evenIfBusy: boolean,
): Promise<string | undefined> {
  let share = await busy(busyLookMs)
  // a brief disturbance is no reason to refuse, so it looks twice
  if (share !== undefined && share > busyWarning && !evenIfBusy) {
    share = Math.min(share, (await busy(busyLookMs)) ?? share)
  }
  if (share === undefined || share <= busyWarning) return undefined
  const text = `the CPUs are already ${Math.round(share * 100)} % busy with something else`
  if (share > busyRefusal && !evenIfBusy) {
    throw new CliFailure(`${text}: end it, or measure anyway with --even-if-busy`)
  }
  return `${text}: the figures will be lower and noisier than on a quiet machine`
}
