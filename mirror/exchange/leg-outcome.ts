import type { FailureKind } from '../../vocabulary/outcome.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Fields } from '../http1/fields.ts'
import type { BodyCapture } from './capture.ts'

/**
 * What became of one leg, before it is put on the wire. Times run from the moment that the leg's whole request was
 * handed over to be sent, on both legs: a client that uploads slowly makes neither model slower.
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
  /** Where a response had begun. */
  fields?: Fields
}

/** The status by which a copy was refused for want of a credential, where the live request it is a copy of was not. */
export function refusalOfCopy(live: LegOutcome, copy: LegOutcome): 401 | 403 | undefined {
  if (copy.kind !== 'answered' || (copy.status !== 401 && copy.status !== 403)) return undefined
  return live.kind === 'answered' && live.status < 400 ? copy.status : undefined
}
