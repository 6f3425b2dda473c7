import { describe, expect, test } from 'vitest'
import { distributionOfValues } from '../../statistics/distribution.fixture.ts'
import { quantile } from '../../statistics/quantile.ts'
import { unseenShare } from '../../statistics/unseen-share.ts'
import { randomFrom } from '../rollups.fixture.ts'
import { boundOfFewBuckets } from './mean-bound.ts'
import { boundOfQuantileOfFew } from './quantile-bound.ts'

test('a share of exchanges without a failure still has a width, and more exchanges narrow it', () => {
  const few = boundOfFewBuckets({ n: 40, sum: 40, sumSq: 40 }, 'share', 0.05)!
  const many = boundOfFewBuckets({ n: 4000, sum: 4000, sumSq: 4000 }, 'share', 0.05)!
  expect(few.upper).toBe(1)
  expect(few.lower).toBeLessThan(0.95)
  expect(many.lower).toBeGreaterThan(few.lower)
})

test('a mean is bounded by the spread of its exchanges, and not below zero for values that cannot be negative', () => {
  const values = [0, 0, 0, 0, 1, 5]
  const total = { n: 6, sum: 6, sumSq: values.reduce((sum, value) => sum + value * value, 0) }
  const real = boundOfFewBuckets(total, 'real', 0.05)!
  expect((real.lower + real.upper) / 2).toBeCloseTo(1, 12)
  expect(real.lower).toBeLessThan(0)
  expect(boundOfFewBuckets(total, 'nonNegative', 0.05)).toEqual({ lower: 0, upper: real.upper })
})

test('a constant mean has a width too, and is open where nothing limits unseen values', () => {
  const none = { n: 40, sum: 0, sumSq: 0 }
  expect(boundOfFewBuckets(none, 'nonNegative', 0.05, 2)).toEqual({ lower: 0, upper: 2 * unseenShare(40, 0.05) })
  expect(boundOfFewBuckets(none, 'nonNegative', 0.05)).toEqual({ lower: 0, upper: Number.POSITIVE_INFINITY })
})

test('the bound of a difference lies around its mean, within −1 and 1; too few exchanges have none', () => {
  const bound = boundOfFewBuckets({ n: 100, sum: 2, sumSq: 10 }, 'paired', 0.05)!
  expect(bound.lower).toBeLessThan(0.02)
  expect(bound.upper).toBeGreaterThan(0.02)
  expect(bound.upper).toBeLessThan(1)
  expect(boundOfFewBuckets({ n: 4, sum: 1, sumSq: 1 }, 'real', 0.05)).toBeNull()
})

describe('a quantile of few groups', () => {
  test.each([0.5, 0.95, 0.99])('has a bound that contains the true value as often as it claims (q = %d)', (q) => {
    const random = randomFrom(7)
    const trials = 500
    let held = 0
    for (let i = 0; i < trials; i++) {
      const sample = distributionOfValues(Array.from({ length: 400 }, () => -Math.log(random())))
      const { lower, upper } = boundOfQuantileOfFew(sample, q, 0.05)
      const truth = -Math.log(1 - q)
      if ((lower ?? 0) <= truth && truth <= (upper ?? Number.POSITIVE_INFINITY)) held++
      expect(quantile(sample, q)).toBeGreaterThanOrEqual(lower ?? 0)
      expect(quantile(sample, q)).toBeLessThanOrEqual(upper ?? Number.POSITIVE_INFINITY)
    }
    expect(held / trials).toBeGreaterThanOrEqual(0.95)
  })

  test('has a bound that narrows with more values, and is open where few lie beyond', () => {
    const upTo = (length: number) => distributionOfValues(Array.from({ length }, (_, i) => i / length))
    const width = (length: number) => {
      const { lower, upper } = boundOfQuantileOfFew(upTo(length), 0.5, 0.05)
      return upper! - lower!
    }
    expect(width(10_000)).toBeLessThan(width(100) / 5)
    expect(boundOfQuantileOfFew(upTo(100), 0.99, 0.05)).toEqual({ lower: expect.any(Number), upper: null })
    expect(boundOfQuantileOfFew(upTo(4), 0.5, 0.05)).toEqual({ lower: null, upper: null })
  })
})
