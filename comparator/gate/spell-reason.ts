/** The side whose outcome is told, as the subject and as the owner of its answers. */
interface Side {
  subject: string
  whose: string
}
const thePrimary: Side = { subject: 'the primary', whose: 'the primary’s' }
/** Where the sentence has named it. */
export const thatSide: Side = { subject: 'it', whose: 'its' }

const ofMirror: Record<string, string> = {
  shed: 'a limit or an open breaker of the mirror shed them',
  aborted: 'their clients went away',
  tooLarge: 'their bodies are over the capture limit',
  noComparator: 'the comparator was out of reach and the spool full',
  rejected: 'the comparator did not accept them',
}

const ofSide: Record<string, string> = {
  timedOut: 'timed out',
  refused: 'refused the connection',
  reset: 'broke off the connection',
  tooLarge: 'answered with a body over the capture limit',
  status: 'answered with an error',
  primaryStatus: 'answered with an error',
  zeroVector: 'answered with an all-zero vector',
  dimensions: 'answered with a vector of another length',
}

const foundWords: Record<string, string> = {
  empty: 'an empty body',
  format: 'a body of another format',
  notFound: 'nothing at its place',
  type: 'a value of another type',
  shape: 'values of another shape',
  tooLarge: 'an answer too large to compare',
  unknownLabel: 'a label that is not declared',
}

/** Why exchanges were skipped, as the end of a sentence after “because”. */
export function spellSkip(reason: string, found?: string): string {
  return ofMirror[reason] ?? spellFailure(thePrimary, reason, found)
}

/** Why a side has no usable answer. `found`: what its mapping mostly found instead, or its most frequent status. */
export function spellFailure({ subject, whose }: Side, reason: string, found?: string): string {
  if (reason !== 'unmapped') {
    const status = found === undefined ? '' : `: mostly status ${found}`
    return `${subject} ${ofSide[reason] ?? `ended as ${reason}`}${status}`
  }
  const instead = found === undefined ? '' : `: it mostly finds ${foundWords[found] ?? found}`
  return `the output mapping cannot read ${whose} answers${instead}`
}
