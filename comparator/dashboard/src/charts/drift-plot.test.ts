import { expect, test } from 'vitest'
import { limitsInReach } from './drift-plot.ts'

const point = (value: number | null, lower: number | null, upper: number | null) => ({
  at: new Date(0),
  value,
  lower,
  upper,
  samples: 40,
})

test('a limit inside the band is drawn, though the line lies flat at zero', () => {
  const flat = [point(0, -0.1, 0.1), point(0, -0.08, 0.09), point(null, null, null)]
  expect(limitsInReach(flat, [-0.02, 40], [-1, Infinity])).toEqual([-0.02])
})

test('without a line every limit is drawn', () => {
  expect(limitsInReach([point(null, null, null)], [0.5], [0, 1])).toEqual([0.5])
})
