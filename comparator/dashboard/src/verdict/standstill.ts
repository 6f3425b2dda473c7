import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import { formatUtc } from '../format/time.ts'

/** Far more than an exchange takes until it is compared. */
const delayMaxMs = 5 * 60_000

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
