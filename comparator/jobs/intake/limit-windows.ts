import type { Observation } from '../../../vocabulary/observation.ts'
import { type EpochMs, hourMs } from '../../../vocabulary/units.ts'
import { countWindowsBegun } from '../../store/windows.ts'
import type { Comparator, KnownValidation } from '../comparator.ts'

/**
 * So many windows of a validation may begin within one hour of its evidence's own time. Versions that name models
 * change a few times a day; one that changes with nearly each answer, as a request's id in the header does, would open
 * a window for each. What has a window goes on counting; after a mended header the next hour begins anew.
 */
export const windowsBegunMax = 20

/** The hour that a time is in. */
export function hourOfWindows(at: EpochMs): { from: EpochMs; to: EpochMs } {
  const from = Math.floor(at / hourMs) * hourMs
  return { from, to: from + hourMs }
}

const expected = `expected versions that name a model and change when it does, at most ${windowsBegunMax} new ones an hour`

/** To who sent an observation that would begin one window too many. */
export function refusalOfVersions({ primary, candidate }: Observation): string {
  const spell = ({ version, digest }: Observation['primary']) => version ?? digest ?? 'unknown'
  return `version: ${expected}; got primary ${spell(primary)}, candidate ${spell(candidate)}`
}

/** To the operator, while windows begin as often as they may; `undefined` otherwise. `at`: of the newest evidence. */
export async function unsteadyVersions(
  { db }: Pick<Comparator, 'db'>,
  validation: KnownValidation,
  at: EpochMs,
): Promise<string | undefined> {
  if ((await countWindowsBegun(db, validation, hourOfWindows(at))) < windowsBegunMax) return undefined
  return `the versions of its models change with nearly each answer, so their evidence is refused as TOO_MANY_VERSIONS: ${expected}`
}
