import { expect, test } from 'vitest'
import { linesInReach } from './lines-in-reach.ts'

test('a limit that would flatten the figures is out of reach', () => {
  expect(linesInReach([9, 9.5, 10], [12, 250])).toEqual([12])
})

test('constant figures have a reach too', () => {
  expect(linesInReach([0.99, 0.99], [0.95])).toEqual([0.95])
  expect(linesInReach([0, 0], [0])).toEqual([0])
})

test('without figures every line is drawn', () => {
  expect(linesInReach([], [0.5, 100])).toEqual([0.5, 100])
})
