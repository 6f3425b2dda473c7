import type { Observation } from '../../../vocabulary/observation.ts'
import { type EpochMs, hourMs, type TimeSpan } from '../../../vocabulary/units.ts'
import { countWindowsBegun } from '../../store/gate/windows.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'

/**
 * Limit of the windows that a validation may begin within one hour, by the time of its evidence. Versions of real
 * models change a few times a day; a header that changes with nearly every answer, such as a request id, would begin a
 * window for each. Evidence for existing windows still counts, and once the header is mended the next hour starts at
 * zero.
 */
export const windowsBegunMax = 20

/** The hour that a time falls in. */
export function hourOfWindows(at: EpochMs): TimeSpan {
  const from = Math.floor(at / hourMs) * hourMs
  return { from, to: from + hourMs }
}

const expected = `expected versions that name a model and change only with it, at most ${windowsBegunMax} new ones an hour`

/** The message to the sender of an observation that would begin one window too many. */
export function refusalOfVersions({ primary, candidate }: Observation): string {
  const spell = ({ version, digest }: Observation['primary']) => version ?? digest ?? 'unknown'
  return `version: ${expected}; got primary ${spell(primary)}, candidate ${spell(candidate)}`
}

/** The message to the operator while the limit is reached; else `undefined`. `at` is the newest evidence's time. */
export async function unsteadyVersions(
  { db }: Pick<Comparator, 'db'>,
  validation: KnownValidation,
  at: EpochMs,
): Promise<string | undefined> {
  if ((await countWindowsBegun(db, validation, hourOfWindows(at))) < windowsBegunMax) return undefined
  return `its models’ versions change with nearly every answer, so the evidence is refused as TOO_MANY_VERSIONS: ${expected}`
}
