import { expect, test } from 'vitest'
import { boundedText } from './bounded-text.ts'

test.each([
  [0.97, 0.99, '0.970 to 0.990'],
  [0.97, null, '≥ 0.970'],
  [null, 0.99, '≤ 0.990'],
  [0.98, 0.98, null],
  [null, null, null],
])('agreement from %j to %j has the bound %j', (lower, upper, bound) => {
  expect(boundedText('agreement', { estimate: 0.98, lower, upper, n: 100 }).bound).toBe(bound)
})
