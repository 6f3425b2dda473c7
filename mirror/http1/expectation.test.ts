import { expect, test } from 'vitest'
import { asksToContinue } from './expectation.ts'

test.each([
  ['100-continue', true],
  ['100-Continue', true],
  ['an-answer, 100-continue', true],
  ['x-100-continue', false],
  ['100-continue-later', false],
  [undefined, false],
])('an expectation %s asks to continue: %s', (text, asks) => {
  expect(asksToContinue(text)).toBe(asks)
})
