import { CliFailure, exitCodes } from '../failure.ts'

const busyLookMs = 1_000
const busyWarning = 0.1
const busyRefusal = 0.4

/** What is measured beside others' work says nothing. Throws a `CliFailure` where too much else is going on. */
export async function requireQuiet(
  busy: (durationMs: number) => Promise<number | undefined>,
  evenIfBusy: boolean,
): Promise<string | undefined> {
  let share = await busy(busyLookMs)
  // what passes within a second is no reason to refuse
  if (share !== undefined && share > busyWarning && !evenIfBusy)
    share = Math.min(share, (await busy(busyLookMs)) ?? share)
  if (share === undefined || share <= busyWarning) return undefined
  const text = `the CPUs are already ${Math.round(share * 100)} % busy with something else`
  if (share > busyRefusal && !evenIfBusy) {
    throw new CliFailure(`${text}: end it, or measure nevertheless with --even-if-busy`, exitCodes.usage)
  }
  return `${text}: the figures will be lower and noisier than on a quiet machine`
}
