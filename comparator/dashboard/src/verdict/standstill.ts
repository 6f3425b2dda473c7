import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatUtc } from '../format/time.ts'

/** Far more than an exchange takes until it is compared. */
const delayMaxMs = 5 * 60_000

/** While observing: whether exchanges have arrived for some time, and not one of those that were sampled could be compared. */
export function comparesNothing({
  state,
  arriving: { quietSince, lastSeenAt },
  window: { beganAt },
  exchanges: { seen, compared, skipped },
}: Pick<ValidationView, 'state' | 'arriving' | 'window' | 'exchanges'>): boolean {
  if (state !== 'observing' || quietSince !== null || lastSeenAt === null || beganAt === null) return false
  const isTried = compared === 0 && seen > (skipped.notSampled ?? 0)
  return isTried && Date.parse(lastSeenAt) - Date.parse(beganAt) > delayMaxMs
}

/** Why the evidence does not grow, so that nothing can be forecast; `null` while it does. */
export function standstillOf({
  arriving: { quietSince, lastSeenAt },
  lastObservationAt,
  exchanges: { seen, skipped },
}: Pick<ValidationView, 'arriving' | 'lastObservationAt' | 'exchanges'>): string | null {
  if (quietSince !== null) return 'nothing is arriving'
  if (lastSeenAt === null || lastObservationAt === null) return null
  // between two sampled exchanges others arrive, which are left out by choice
  const sampled = (seen - (skipped.notSampled ?? 0)) / seen
  const isStanding = (Date.parse(lastSeenAt) - Date.parse(lastObservationAt)) * sampled > delayMaxMs
  return isStanding ? `nothing since ${formatUtc(lastObservationAt)} has been compared` : null
}
