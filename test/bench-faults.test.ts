import { describe, expect, test } from 'vitest'
import { compareSides, meanRatio, quantileOfAll, quantileOfMedianTurn } from '../bench/faults/compare-sides.ts'
import { Random } from './fuzz/random.ts'

describe('a quantile of all turns, on against off', () => {
  const random = () => {
    const seeded = new Random(1)
    return () => seeded.unit()
  }
  const turn = (base: number) => Array.from({ length: 100 }, (_, i) => base + i / 100)

  const calm = Array.from({ length: 29 }, () => ({ off: turn(1), on: turn(1) }))
  const paused = { off: turn(1), on: turn(1).map((ms) => ms + 50) }

  test('is that of all requests together, and its interval contains it', () => {
    const turns = [1, 2, 3].map((base) => ({ off: turn(base), on: turn(base).map((ms) => 2 * ms) }))
    const { offMs, onMs, ratio, differenceMs } = compareSides(turns, quantileOfAll(0.99), random())
    // of 300 values, the one at 0-based index 299 × 0.99 = 296.01: a hundredth of the way from 3.96 to 3.97
    expect(offMs).toBeCloseTo(3.9601, 9)
    expect(onMs).toBeCloseTo(7.9202, 9)
    expect(ratio.value).toBeCloseTo(2, 12)
    expect([ratio.low, ratio.high].map((bound) => bound.toFixed(9))).toEqual(['2.000000000', '2.000000000'])
    expect(differenceMs.value).toBeCloseTo(onMs - offMs, 12)
    expect(differenceMs.low).toBeLessThan(differenceMs.value)
    expect(differenceMs.high).toBeGreaterThanOrEqual(differenceMs.value)
  })

  test('a pause in one of many turns widens the interval and does not decide', () => {
    const { ratio } = compareSides([...calm, paused], quantileOfAll(0.5), random())
    expect(ratio.value).toBeLessThan(1.1)
    expect(ratio.low).toBeLessThanOrEqual(1)
    expect(ratio.high).toBeGreaterThan(1)
  })

  test('of the median turn equals that of a turn without the pause, even for high quantiles', () => {
    const turns = [...calm, paused]
    expect(compareSides(turns, quantileOfAll(0.99), random()).ratio.value).toBeGreaterThan(10)
    const { offMs, onMs, ratio } = compareSides(turns, quantileOfMedianTurn(0.99), random())
    // of 100 values, the one at 0-based index 99 × 0.99 = 98.01
    expect(offMs).toBeCloseTo(1.9801, 9)
    expect(onMs).toBeCloseTo(1.9801, 9)
    expect([ratio.low, ratio.value, ratio.high]).toEqual([1, 1, 1])
  })

  test('several comparisons together have the geometric mean of their ratios and a narrower interval', () => {
    const noisy = Array.from({ length: 20 }, (_, i) => ({ off: turn(1 + (i % 5)), on: turn(1 + (i % 7)) }))
    const comparisons = Array.from({ length: 8 }, (_, i) => {
      const seeded = new Random(i)
      return compareSides(noisy, quantileOfAll(0.99), () => seeded.unit())
    })
    const together = meanRatio(comparisons)
    const [one] = comparisons
    expect(together.value).toBeCloseTo(one!.ratio.value, 12)
    expect(together.high - together.low).toBeLessThan((one!.ratio.high - one!.ratio.low) / 2)
  })
})
