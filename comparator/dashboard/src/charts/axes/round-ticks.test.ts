import { expect, test } from 'vitest'
import { roundTicks } from './round-ticks.ts'

test('an axis has round steps, and includes zero if it is in range', () => {
  expect(roundTicks(0, 20, 3)).toEqual([0, 10, 20])
  expect(roundTicks(0, 13, 3)).toEqual([0, 5, 10])
  expect(roundTicks(0, 1, 3)).toEqual([0, 0.5, 1])
  expect(roundTicks(-2, 43.9, 3)).toEqual([0, 20, 40])
  expect(roundTicks(0, 0, 3)).toEqual([0])
  expect(roundTicks(-30, 0, 3)).toEqual([-30, -20, -10, 0])
})
