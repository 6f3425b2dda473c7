import { expect, test } from 'vitest'
import { boundedText } from './bounded-text.ts'

test.each([
  [0.97, 0.99, '0.970 to 0.990'],
  [0.97, null, '≥\u00a00.970'],
  [null, 0.99, '≤\u00a00.990'],
  [0.98, 0.98, null],
  [null, null, null],
])('agreement from %j to %j has the bound %j', (lower, upper, bound) => {
  expect(boundedText('agreement', { estimate: 0.98, lower, upper, n: 100 }).bound).toBe(bound)
})

test.each([
  [0.008, 0.0036, 0.0127, '+0.0080', '+0.0036 to +0.0127'],
  [-0.008, -0.0127, 0.0036, '−0.0080', '−0.0127 to +0.0036'],
  [0, -0.01, 0.01, '0', '−0.010 to +0.010'],
])('a difference of %d with the bound %j to %j has its signs', (estimate, lower, upper, ...words) => {
  const { estimate: text, bound } = boundedText(
    'accuracy.drift',
    { estimate, lower, upper, n: 900 },
    { isSigned: true },
  )
  expect([text, bound]).toEqual(words)
})

test.each([
  ['agreement', 0.8999, 0.85, 0.95, { min: 0.9 }, '0.8999'],
  ['agreement', 0.8999, 0.85, 0.95, {}, '0.900'],
  ['errorRate', 0.050004, 0.03, 0.07, { max: 0.05 }, '5.0004\u00a0%'],
  ['bias', 0.00001, -0.02, 0.02, { max: 0 }, '0.00001'],
  ['outputDrift.psi', 6.0404e-6, 5.9e-6, 6.2e-6, { max: 6.04e-6 }, '6.0404e-6'],
])('%s of %d, bound %d to %d, against a limit of %o reads %s', (name, estimate, lower, upper, limit, text) => {
  expect(boundedText(name, { estimate, lower, upper, n: 100 }, { limit }).estimate).toBe(text)
})

test.each([
  ['outputDrift.psi', 6.75e-6, 0, 0.0021, '<\u00a00.0001'],
  ['outputDrift.psi', 0.00061, 0, 0.0021, '0.0006'],
  ['errorRate', 0.00001, 0, 0.0123, '<\u00a00.01\u00a0%'],
  ['errorRate', 0, 0, 0.0003, '0\u00a0%'],
  ['agreement', 0, 0, 0.03, '0'],
  ['bias', 0.00001, -0.02, 0.02, '0.000'],
])('%s of %d, bound %d to %d, reads %s', (name, estimate, lower, upper, text) => {
  expect(boundedText(name, { estimate, lower, upper, n: 100 }).estimate).toBe(text)
})
