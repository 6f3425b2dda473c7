import { expect, test } from 'vitest'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { countValues } from './bin-counts.ts'
import { distributionOfBins, distributionOfValues } from './distribution.ts'
import { quantile, quantileOfBins } from './quantile.ts'

test('a quantile of bins is that of the values, far closer than a bin is wide, and of any sign', () => {
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

test('of a value by itself in its bin it is the bin’s, and of none there is none', () => {
  const bins = distributionOfBins(countValues([5, 0, -3]))
  for (const q of [0, 0.5, 1]) expect(quantileOfBins(bins, q)).toBe(quantile(bins, q))
  expect(quantileOfBins(distributionOfBins(countValues([])), 0.5)).toBeNull()
})
