import { expect, test } from 'vitest'
import { againstNoise } from './noise.ts'

const bounded = (lower: number | null, upper: number | null) => ({ estimate: 0.5, lower, upper, n: 100 })

test('a metric is apart from the noise only if the two bounds do not touch', () => {
  expect(againstNoise(bounded(0.2, 0.3), bounded(0.0, 0.1))).toBe('apart')
  expect(againstNoise(bounded(0.2, 0.3), bounded(0.4, 0.5))).toBe('apart')
  expect(againstNoise(bounded(0.2, 0.3), bounded(0.3, 0.4))).toBe('within')
})

test('without a bound, or without a noise floor, nothing is claimed', () => {
  expect(againstNoise(bounded(null, null), bounded(0, 0.1))).toBe('untold')
  expect(againstNoise(bounded(0.2, 0.3), bounded(0, null))).toBe('untold')
  expect(againstNoise(bounded(0.2, 0.3), undefined)).toBe('untold')
})
