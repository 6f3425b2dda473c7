import { describe, expect, test } from 'vitest'
import { clusteredMean } from './clustered-mean.ts'
import { positiveInterval, shareInterval } from './curved-interval.ts'
import { jackknife } from './jackknife.ts'
import { longRunError, neighbourCorrelation } from './long-run-error.ts'
// written by reference-errors.py
import reference from './reference-errors.json' with { type: 'json' }

const clustersOf = (n: number[], sum: number[]) => n.map((count, i) => ({ n: count, sum: sum[i]! }))

describe('a long-run error', () => {
  test.each(reference.errors)('agrees with NumPy’s', ({ n, sum, expected }) => {
    const found = longRunError(clusteredMean(clustersOf(n, sum))!.deviations)
    if (expected === null) expect(found).toBeNull()
    else expect(found).toBeCloseTo(expected, 12)
  })

  test('needs sixteen units to say how neighbours are correlated', () => {
    const units = Array.from({ length: 16 }, (_, i) => ({ deviation: i % 2 === 0 ? 1 : -1, weight: 1 }))
    expect(neighbourCorrelation(units.slice(1))).toBeNull()
    expect(neighbourCorrelation(units)).toBeLessThan(-0.8)
  })

  test('of correlated neighbours is larger than that of the same values in another order', () => {
    const alike = Array.from({ length: 64 }, (_, i) => ({ deviation: i < 32 ? 1 : -1, weight: 1 }))
    const mixed = alike.map((_, i) => alike[(i * 37) % 64]!)
    expect(longRunError(alike.slice(0))).toBeNull() // one change of level is two units' worth, not 64
    const spells = Array.from({ length: 64 }, (_, i) => ({ deviation: Math.floor(i / 4) % 2 ? 1 : -1, weight: 1 }))
    expect(longRunError(spells)!).toBeGreaterThan(1.5 * longRunError(mixed)!)
  })

  test('is not hidden by one hour that outweighs the others', () => {
    const even = Array.from({ length: 24 }, (_, i) => ({ n: 10, sum: i % 2 }))
    const heavy = [...even.slice(1), { n: 2000, sum: 300 }]
    expect(longRunError(clusteredMean(heavy)!.deviations)).toBeNull()
  })

  test('is null, not wrong, where a number is not finite', () => {
    const units = Array.from({ length: 20 }, (_, i) => ({ deviation: i % 3, weight: 1 }))
    expect(longRunError(units)).not.toBeNull()
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(longRunError([...units, { deviation: bad, weight: 1 }])).toBeNull()
      expect(longRunError([...units, { deviation: 0, weight: bad }])).toBeNull()
    }
    expect(longRunError([])).toBeNull()
  })

  test('of a jackknifed mean equals that of its values', () => {
    const values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    const total = values.reduce((sum, value) => sum + value, 0)
    const leftOut = values.map((value) => (total - value) / (values.length - 1))
    const direct = clusteredMean(values.map((sum) => ({ n: 1, sum })))!
    expect(jackknife(leftOut)!.standardError).toBeCloseTo(direct.standardError, 12)
    // a jackknife's deviations already contain the factor J/(J−1) of θ̄ against θ
    const scaled = jackknife(leftOut)!.deviations.map(({ deviation }) => deviation)
    direct.deviations.forEach(({ deviation }, i) => {
      expect(scaled[i]).toBeCloseTo(deviation, 12)
    })
  })
})

describe('a curved interval', () => {
  test.each(reference.wilson)('of a share at $estimate is Wilson’s', ({ estimate, radius, expected }) => {
    const { lower, upper } = shareInterval(estimate, radius)
    expect([lower, upper].map((edge, i) => edge / expected[i]!)).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)])
  })

  test.each(reference.poisson)('of a positive mean is the score interval', ({ estimate, radius, expected }) => {
    const { lower, upper } = positiveInterval(estimate, radius)
    expect(lower).toBeCloseTo(expected[0]!, 12)
    expect(upper).toBeCloseTo(expected[1]!, 12)
  })

  test('at the edges of its range is the plain interval', () => {
    expect(shareInterval(0, 0)).toEqual({ lower: 0, upper: 0 })
    expect(positiveInterval(0, 0)).toEqual({ lower: 0, upper: 0 })
    expect(shareInterval(1, 0.25)).toEqual({ lower: 0.75, upper: 1.25 })
    expect(positiveInterval(0, 0.25)).toEqual({ lower: 0, upper: 0.25 })
  })
})
