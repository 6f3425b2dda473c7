import type { ScoresPair } from '../../../../vocabulary/answer-pair.ts'

const namedMax = 4

/** What the candidate gives not, and what it gives beside: `−beach +night`; '' where both give the same. */
export function givenApart({ primary, candidate }: Pick<NonNullable<ScoresPair['given']>, 'primary' | 'candidate'>) {
  const signed = [
    ...primary.filter((label) => !candidate.includes(label)).map((label) => `−${label}`),
    ...candidate.filter((label) => !primary.includes(label)).map((label) => `+${label}`),
  ]
  const more = signed.length - namedMax
  return more > 0 ? `${signed.slice(0, namedMax).join(' ')} and ${more} more` : signed.join(' ')
}
