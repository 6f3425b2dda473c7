import type { ValidationState } from '../../../../vocabulary/routing.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'

export const verdictWords: Record<Verdict, string> = { pass: 'Pass', fail: 'Fail', inconclusive: 'Inconclusive' }

export const stateWords: Record<ValidationState, string> = {
  observing: 'Observing',
  rollingOut: 'Rolling out',
  promoted: 'Promoted',
  rolledBack: 'Rolled back',
  rejected: 'Rejected',
}

const reasons: Record<string, string> = {
  timedOut: 'timed out',
  refused: 'connection refused',
  reset: 'connection reset',
  shed: 'shed by a limit or an open breaker of the mirror',
  aborted: 'aborted by the client',
  tooLarge: 'body over the capture limit',
  notSampled: 'not sampled',
  noComparator: 'comparator unreachable, spool full',
  rejected: 'not accepted by the comparator',
  primaryStatus: 'answered with an error',
  status: 'answered with an error',
  unmapped: 'answer does not fit the mapping',
  zeroVector: 'answered with an all-zero vector',
  dimensions: 'answered with a vector of another length',
}

/** Reasons for which mirrors skip; any other reason is how the primary's outcome ended. */
const onTheWay = ['notSampled', 'shed', 'aborted', 'tooLarge', 'rejected', 'noComparator']
export const isLostOnTheWay = (reason: string) => onTheWay.includes(reason)

/** Why an exchange was skipped or an outcome has no answer, in words; an unknown reason is returned as it is. */
export function reasonWords(reason: string): string {
  return reasons[reason] ?? spaced(reason)
}

/** `rollingOut` → `rolling out`. */
export function spaced(camel: string): string {
  return camel.replace(/([a-z0-9])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
}

/** Enough of a digest to distinguish it by eye. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 10)
}
