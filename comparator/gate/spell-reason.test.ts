import { expect, test } from 'vitest'
import { skipReasons } from '../../vocabulary/coverage.ts'
import { failureKinds } from '../../vocabulary/outcome.ts'
import { leftOutByChoice } from '../metrics/evidence/exchanges.ts'
import { spellFailure, spellSkip, thatSide } from './spell-reason.ts'

const codes = ['empty', 'format', 'notFound', 'type', 'shape', 'tooLarge', 'unknownLabel']
const ofAnswers = ['unmapped', 'zeroVector', 'dimensions']

test('each reason reads as a sentence, without its machine name', () => {
  const skips = [...skipReasons, 'primaryStatus', ...ofAnswers].filter((reason) => reason !== leftOutByChoice)
  // those two are never the candidate's doing
  const failures = [...failureKinds, 'status', ...ofAnswers].filter((kind) => kind !== 'shed' && kind !== 'aborted')
  const sentences = [
    ...skips.map((reason) => spellSkip(reason)),
    ...failures.map((reason) => spellFailure(thatSide, reason)),
    ...codes.flatMap((found) => [spellSkip('unmapped', found), spellFailure(thatSide, 'unmapped', found)]),
  ]
  for (const sentence of sentences) expect(sentence).not.toMatch(/[a-z][A-Z]|ended as|finds \w+$/)
  expect(new Set(sentences).size).toBe(sentences.length)
  expect(spellSkip('timedOut')).toBe('the primary timed out')
  expect(spellFailure(thatSide, 'status')).toBe('it answered with an error')
  expect(spellFailure(thatSide, 'status', '404')).toBe('it answered with an error: mostly status 404')
})
