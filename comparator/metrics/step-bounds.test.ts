import { expect, test } from 'vitest'
import { boundOfFewBuckets } from './bounds.ts'

test('a share of exchanges without a failure still has a width, and more exchanges narrow it', () => {
  const few = boundOfFewBuckets({ n: 40, sum: 40, sumSq: 40 }, 'share', 0.05)!
  const many = boundOfFewBuckets({ n: 4000, sum: 4000, sumSq: 4000 }, 'share', 0.05)!
  expect(few.upper).toBe(1)
  expect(few.lower).toBeLessThan(0.95)
  expect(many.lower).toBeGreaterThan(few.lower)
})

test('a mean is bounded by the spread of its exchanges, and not below zero where it cannot be', () => {
  const values = [0, 0, 0, 0, 1, 5]
  const total = { n: 6, sum: 6, sumSq: values.reduce((sum, value) => sum + value * value, 0) }
  const real = boundOfFewBuckets(total, 'real', 0.05)!
  expect((real.lower + real.upper) / 2).toBeCloseTo(1, 12)
  expect(real.lower).toBeLessThan(0)
  expect(boundOfFewBuckets(total, 'nonNegative', 0.05)).toEqual({ lower: 0, upper: real.upper })
})

test('a difference of two lies around its mean, within −1 and 1; too few exchanges have no bound', () => {
  const bound = boundOfFewBuckets({ n: 100, sum: 2, sumSq: 10 }, 'paired', 0.05)!
  expect(bound.lower).toBeLessThan(0.02)
  expect(bound.upper).toBeGreaterThan(0.02)
  expect(bound.upper).toBeLessThan(1)
  expect(boundOfFewBuckets({ n: 4, sum: 1, sumSq: 1 }, 'real', 0.05)).toBeNull()
})
