import { describe, expect, test } from 'vitest'
import { distributionOfValues } from '../../statistics/distribution.fixture.ts'
import { quantile } from '../../statistics/quantile.ts'
import type { Sum } from '../../statistics/sums.ts'
import { unseenShare } from '../../statistics/unseen-share.ts'
import { normalFrom, randomFrom } from '../rollups.fixture.ts'
import { boundOfFewBuckets, boundOfMean, projectMean } from './mean-bound.ts'
import { projectByJackknife } from './projection.ts'
import { boundOfQuantile } from './quantile-bound.ts'

const alpha = 0.05
const sequence = { alpha, planned: 48 }
const cluster = (n: number, sum: number, sumSq = sum): Sum => ({ n, sum, sumSq, min: 0, max: 1 })
const clusters = (count: number, n: number, sum: number, sumSq = sum) =>
  Array.from({ length: count }, () => cluster(n, sum, sumSq))

describe('a bound of a mean', () => {
  /** Each bucket has its own rate, so that its exchanges are correlated. */
  function falseDecisions({ rate, spread, windows, seed }: Record<'rate' | 'spread' | 'windows' | 'seed', number>) {
    const random = randomFrom(seed)
    let below = 0
    let above = 0
    for (let window = 0; window < windows; window++) {
      const seen: Sum[] = []
      let wasBelow = false
      let wasAbove = false
      for (let bucket = 0; bucket < 48; bucket++) {
        const ownRate = rate + (random() < 0.5 ? spread : -spread)
        const n = 20 + Math.floor(random() * 40)
        let sum = 0
        for (let i = 0; i < n; i++) if (random() < ownRate) sum++
        seen.push(cluster(n, sum))
        const bound = boundOfMean(seen, 'share', sequence)
        if (bound === null) continue
        wasBelow ||= bound.upper < rate
        wasAbove ||= bound.lower > rate
      }
      if (wasBelow) below++
      if (wasAbove) above++
    }
    return { below: below / windows, above: above / windows }
  }

  test.each([
    { rate: 0.05, spread: 0.033, windows: 800, seed: 1 },
    { rate: 0.5, spread: 0.15, windows: 800, seed: 2 },
    { rate: 0.9, spread: 0, windows: 400, seed: 3 },
  ])('at a limit of $rate, looked at after every bucket, decides falsely no more often than α', (given) => {
    const { below, above } = falseDecisions(given)
    expect(below).toBeLessThanOrEqual(alpha)
    expect(above).toBeLessThanOrEqual(alpha)
  })

  test('would decide falsely far more often if exchanges in a bucket were taken as independent', () => {
    // guards the test above: with equal exchanges in each bucket, single exchanges claim too much
    const random = randomFrom(4)
    const alike = Array.from({ length: 48 }, () => (random() < 0.5 ? cluster(50, 50) : cluster(50, 0)))
    const pooled = boundOfMean(clusters(48, 50, 25), 'share', sequence)!
    const clustered = boundOfMean(alike, 'share', sequence)!
    expect(clustered.upper - clustered.lower).toBeGreaterThan(3 * (pooled.upper - pooled.lower))
  })

  test('needs five buckets', () => {
    expect(boundOfMean(clusters(4, 100, 50), 'share', sequence)).toBeNull()
    expect(boundOfMean(clusters(5, 100, 50), 'share', sequence)).not.toBeNull()
    expect(boundOfMean([], 'real', sequence)).toBeNull()
  })

  test('has a width even where nothing ever failed', () => {
    const bound = boundOfMean(clusters(48, 10, 0), 'share', sequence)!
    expect(bound.lower).toBe(0)
    expect(bound.upper).toBeGreaterThan(0.01)
    expect(bound.upper).toBeLessThan(0.03)
    const mirrored = boundOfMean(clusters(48, 10, 10), 'share', sequence)!
    expect(mirrored.upper).toBe(1)
    expect(mirrored.lower).toBeCloseTo(1 - bound.upper, 9)
  })

  test('of constant cosines has a width too, within the range of a cosine', () => {
    const equal = boundOfMean(clusters(50, 200, 200), 'cosine', sequence)!
    expect(equal.upper).toBe(1)
    expect(equal.lower).toBeCloseTo(0.99837, 5)
    const distance = boundOfMean(clusters(50, 200, 0), 'cosineDistance', sequence)!
    expect(distance).toEqual({ lower: 0, upper: expect.closeTo(1 - equal.lower, 12) })
    const orthogonal = boundOfMean(clusters(50, 200, 0), 'cosine', sequence)!
    expect(orthogonal.upper).toBeCloseTo(-orthogonal.lower, 12)
    expect(orthogonal.upper).toBeGreaterThan(0.03)
    expect(boundOfFewBuckets({ n: 10, sum: 10, sumSq: 10 }, 'cosine', alpha)!.lower).toBeLessThan(0.8)
  })

  test('of constant values is null where one bucket holds nearly all of them', () => {
    // Kish: (3000 + 47 · 20)² / (3000² + 47 · 20²) = 1.7 effective units
    expect(boundOfMean([cluster(3000, 3000), ...clusters(47, 20, 20)], 'share', sequence)).toBeNull()
    expect(boundOfMean([cluster(3000, 0), ...clusters(47, 20, 0)], 'share', sequence)).toBeNull()
    expect(boundOfMean([cluster(60, 60), ...clusters(47, 20, 20)], 'share', sequence)!.lower).toBeGreaterThan(0.98)
  })

  test('of constant values has a width, however their sums were rounded', () => {
    // a value added ten times is not exactly ten times the value, so all full buckets have the same rounding error
    const value = 0.957826285221151
    const tenfold = Array.from({ length: 10 }).reduce<number>((sum) => sum + value, 0)
    const seen = [cluster(1, value), ...clusters(10, 10, tenfold)]
    for (const support of ['share', 'cosine', 'cosineDistance'] as const) {
      const bound = boundOfMean(seen, support, sequence)!
      expect(bound.lower).toBeLessThan(value)
      expect(bound.lower).toBeGreaterThan(0.5)
      expect(bound.upper).toBeGreaterThan(value)
    }
  })

  test('of errors that were all 0 allows for an unseen one of the largest possible size, or is open without such a size', () => {
    const none = clusters(48, 5, 0)
    const share = unseenShare(240, alpha)
    expect(boundOfMean(none, 'nonNegative', sequence, 8)).toEqual({ lower: 0, upper: expect.closeTo(8 * share, 12) })
    expect(boundOfMean(none, 'nonNegative', sequence)).toEqual({ lower: 0, upper: Number.POSITIVE_INFINITY })
    const bias = boundOfMean(none, 'real', sequence, 8)!
    expect(bias).toEqual({ lower: -bias.upper, upper: expect.closeTo(8 * share, 12) })
    const project = projectMean(none, 'nonNegative', sequence, 8)
    expect(project(4)!.upper).toBeCloseTo(8 * unseenShare(960, alpha), 12)
  })

  test('of constant values is not narrowed by rounding', () => {
    const third = clusters(48, 5, 5 * (1 / 3), 5 * (1 / 9))
    for (const support of ['real', 'nonNegative'] as const) {
      const bound = boundOfMean(third, support, sequence, 2)!
      expect(bound.lower).toBeLessThan(0.33)
      expect(bound.upper).toBeGreaterThan(0.37)
    }
    // a size no larger than what was seen says nothing about unseen values
    expect(boundOfMean(third, 'nonNegative', sequence, 1 / 3)!.upper).toBe(Number.POSITIVE_INFINITY)
  })

  test('of buckets that happen to have equal means is as wide as the spread of their exchanges implies', () => {
    const even = clusters(48, 100, 50, 50)
    const random = randomFrom(9)
    const uneven = Array.from({ length: 48 }, () => {
      const sum = 50 + 5 * normalFrom(random)
      return cluster(100, sum, sum)
    })
    for (const support of ['real', 'nonNegative'] as const) {
      const widthOf = (of: Sum[]) => {
        const { lower, upper } = boundOfMean(of, support, sequence, 1)!
        return upper - lower
      }
      expect(widthOf(even)).toBeGreaterThan(0.7 * widthOf(uneven))
      expect(widthOf(even)).toBeLessThan(1.2 * widthOf(uneven))
    }
  })

  test('of a difference is within 0.001 after 10,000 exchanges without an error on either side', () => {
    const bound = boundOfMean(clusters(50, 200, 0), 'paired', sequence)!
    expect(bound.upper).toBeLessThanOrEqual(0.001)
    expect(bound.lower).toBe(-bound.upper)
    expect(boundOfMean(clusters(50, 100, 0), 'paired', sequence)!.upper).toBeGreaterThan(0.001)
  })

  test('of a paired difference is wider where gains and losses cancel than where there are none', () => {
    const quiet = boundOfMean(clusters(48, 100, 0, 0), 'paired', sequence)!
    const busy = boundOfMean(clusters(48, 100, 0, 20), 'paired', sequence)!
    expect(busy.upper).toBeGreaterThan(3 * quiet.upper)
  })

  test('is null rather than wrong where a sum is not a number', () => {
    expect(boundOfMean([...clusters(9, 10, 5), cluster(10, Number.NaN)], 'share', sequence)).toBeNull()
    expect(boundOfMean([...clusters(9, 10, 5), cluster(10, Number.POSITIVE_INFINITY)], 'real', sequence)).toBeNull()
  })
})

test('a jackknife with a missing value has no bound', () => {
  expect(projectByJackknife(0.5, [0.4, 0.5, 0.6, 0.5, null], sequence)(1)).toBeNull()
  expect(projectByJackknife(0.5, [0.4, 0.5, 0.6, 0.5], sequence)(1)).toBeNull()
  expect(projectByJackknife(0.5, [0.4, 0.5, 0.6, 0.5, Number.NaN], sequence)(1)).toBeNull()
  expect(projectByJackknife(0.5, [0.4, 0.5, 0.6, 0.5, 0.5], sequence)(1)).not.toBeNull()
})

test('the bound of a quantile over steadily drifting groups excludes next to nothing, and does not throw', () => {
  const groups = Array.from({ length: 48 }, (_, i) =>
    distributionOfValues(Array.from({ length: 20 }, (_, k) => i + k / 20)),
  )
  const all = distributionOfValues(Array.from({ length: 960 }, (_, i) => i / 20))
  const { lower, upper } = boundOfQuantile(all, groups, 0.5, sequence)
  expect(lower ?? 0).toBeLessThan(quantile(all, 0.5)! - 15)
  expect(upper ?? 48).toBeGreaterThan(quantile(all, 0.5)! + 15)
})
