import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatUtc } from '../format/time.ts'

/** Far more than an exchange takes until it is compared. */
const delayMaxMs = 5 * 60_000

/** Before the first window there is no time from which it could be measured, only how many were lost. */
const lostMin = 20

/** While observing: whether exchanges have arrived for some time, and not one of those that were sampled could be compared. */
export function comparesNothing({
  state,
  arriving: { quietSince, lastSeenAt },
  window: { beganAt },
  exchanges: { seen, compared, skipped },
}: Pick<ValidationView, 'state' | 'arriving' | 'window' | 'exchanges'>): boolean {
  if (state !== 'observing' || quietSince !== null || lastSeenAt === null || compared > 0) return false
  const lost = seen - (skipped.notSampled ?? 0)
  if (beganAt === null) return lost >= lostMin
  return lost > 0 && Date.parse(lastSeenAt) - Date.parse(beganAt) > delayMaxMs
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
