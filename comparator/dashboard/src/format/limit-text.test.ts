import { expect, test } from 'vitest'
import { limitLabel, limitText } from './limit-text.ts'

test('a limit has all the digits that it was configured with', () => {
  expect(limitText({ min: 0.99995 }, 'none')).toBe('≥\u00a00.99995')
  expect(limitText({ min: -99.995, max: 123_456.7 }, 'none')).toBe('≥\u00a0−99.995 and ≤\u00a0123,456.7')
  expect(limitText({ max: 0.000012345 }, 'none')).toBe('≤\u00a00.000012345')
  expect(limitText({ max: 1.2345e-7 }, 'none')).toBe('≤\u00a01.2345e-7')
  expect(limitText({ max: 12_345.678 }, 'ms')).toBe('≤\u00a012,345.678\u00a0ms')
  expect(limitText({ min: 0.99995 }, 'share')).toBe('≥\u00a099.995\u00a0%')
  expect(limitText({ max: 0.07 }, 'percent')).toBe('≤\u00a07\u00a0%')
  expect(limitText({ min: 1500 }, 'count')).toBe('≥\u00a01,500')
})

test('below a bar a long limit is shortened', () => {
  expect(limitLabel(-9_876_543_210_987, 'none')).toBe('−9.88e+12')
  expect(limitLabel(12_345.678, 'ms')).toBe('12,345.678\u00a0ms')
})
