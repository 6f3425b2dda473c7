import { expect, test } from 'vitest'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { countValues } from './bin-counts.ts'
import { distributionOfValues } from './distribution.fixture.ts'
import { distributionOfBins } from './distribution.ts'
import { quantile, quantileOfBins, smoothQuantile } from './quantile.ts'

test('a quantile of bins is far closer to that of the values than a bin is wide, for values of any sign', () => {
  const random = randomFrom(3)
  for (const sign of [1, -1]) {
    const values = Array.from({ length: 20_000 }, () => sign * (20 + 2 * random()))
    const bins = distributionOfBins(countValues(values))
    for (const q of [0.1, 0.3, 0.5, 0.77, 0.9]) {
      const exact = quantile(distributionOfValues(values), q)!
      expect(Math.abs(quantileOfBins(bins, q)! / exact - 1)).toBeLessThan(0.001)
    }
  }
})

test('a quantile of a single value in its bin is the bin’s value, and null without values', () => {
  const bins = distributionOfBins(countValues([5, 0, -3]))
  for (const q of [0, 0.5, 1]) expect(quantileOfBins(bins, q)).toBe(quantile(bins, q))
  expect(quantileOfBins(distributionOfBins(countValues([])), 0.5)).toBeNull()
})

test('the smooth form moves little where single values move, and is the same for values that are all alike', () => {
  const steps = (low: number) =>
    distributionOfBins(countValues(Array.from({ length: 1000 }, (_, i) => (i < low ? 1 : 2))))
  expect(quantileOfBins(steps(505), 0.5)! / quantileOfBins(steps(495), 0.5)!).toBeLessThan(0.51)
  expect(smoothQuantile(steps(505), 0.5)! / smoothQuantile(steps(495), 0.5)!).toBeGreaterThan(0.8)
  // of 21 ranks within two standard errors 15 lie below the step; of those beyond the greatest value, all lie at it
  expect(Math.abs(smoothQuantile(steps(515), 0.5)! / (27 / 21) - 1)).toBeLessThan(0.005)
  expect(Math.abs(smoothQuantile(steps(999), 0.999)! / 1.381 - 1)).toBeLessThan(0.005)
  const alike = distributionOfBins(countValues(Array(100).fill(7)))
  for (const q of [0, 0.5, 0.99]) expect(Math.abs(smoothQuantile(alike, q)! / 7 - 1)).toBeLessThan(0.01)
  expect(smoothQuantile(distributionOfBins(countValues([])), 0.5)).toBeNull()
})
