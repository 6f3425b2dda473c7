import type { FailureKind } from '../../vocabulary/outcome.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Fields } from '../http1/fields.ts'
import type { BodyCapture } from './body-capture.ts'

/**
 * The outcome of one leg, before it is serialised. On both legs times run from when the whole request was handed over
 * for sending: a client that uploads slowly makes neither model slower.
 */
export type LegOutcome = LegAnswered | LegFailed

interface LegAnswered {
  kind: 'answered'
  status: number
  fields: Fields
  body: BodyCapture
  ttfbMs: Milliseconds
  totalMs: Milliseconds
  queuedMs?: Milliseconds
}

interface LegFailed {
  kind: FailureKind
  totalMs: Milliseconds
  queuedMs?: Milliseconds
  /** Set if a response had begun. */
  fields?: Fields
}

/** The status of a copy that was refused for lack of a credential although its live request succeeded. */
export function refusalOfCopy(live: LegOutcome, copy: LegOutcome): 401 | 403 | undefined {
  if (copy.kind !== 'answered' || (copy.status !== 401 && copy.status !== 403)) return undefined
  return live.kind === 'answered' && live.status < 400 ? copy.status : undefined
}
