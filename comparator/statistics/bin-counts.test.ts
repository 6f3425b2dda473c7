import { expect, test } from 'vitest'
import { normalFrom, randomFrom } from '../metrics/rollups.fixture.ts'
import { countValues, noCounts, pairsOf, sumOf, without } from './bin-counts.ts'
import { binOf } from './log-histogram.ts'

const random = randomFrom(3)
/** Values of either sign and zeros, over many orders of magnitude. */
const values = Array.from({ length: 2000 }, (_, i) =>
  i % 50 === 0 ? 0 : normalFrom(random) * 10 ** (6 * random() - 3),
)

test('values are counted by bin, and bins are in ascending order', () => {
  const counted = new Map<number, number>()
  for (const value of values) counted.set(binOf(value), (counted.get(binOf(value)) ?? 0) + 1)
  expect(pairsOf(countValues(values))).toEqual([...counted].sort(([a], [b]) => a - b))
  expect(countValues([])).toEqual(noCounts)
})

test.each([0, 1, 2, 3, 7, 64])('%i parts add up to the whole, and the whole less one part is the others', (count) => {
  const partOf = (i: number) => values.filter((_, j) => count > 0 && (j * j) % count === i)
  const parts = Array.from({ length: count }, (_, i) => countValues(partOf(i)))
  const whole = sumOf(parts)
  expect(whole).toEqual(countValues(count === 0 ? [] : values))
  for (const [i, part] of parts.entries()) expect(without(whole, part)).toEqual(sumOf(parts.toSpliced(i, 1)))
})
