import { expect, test } from 'vitest'
import type { Score } from '../../compare/answer.ts'
import { topKOverlap } from './top-k-overlap.ts'

test.each<[Score[], Score[], number, number]>([
  [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 1, 0],
  [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], 2, 1 / 2],
  [[0.5, 0.3, 0.2], [0.5, 0.2, 0.3], 5, 1],
  // ties have no order: equal sides overlap fully, and the primary's own order helps no candidate
  [[1, 0, 0, 0], [1, 0, 0, 0], 3, 1],
  [[0.4, 0.3, 0.2, 0.1, 0, 0, 0], [0.9, 0.1, 0, 0, 0, 0, 0], 4, (2 + (2 * 2) / 5) / 4],
  [[0, 0, 0, 0.1, 0.2, 0.3, 0.4], [0, 0, 0, 0, 0, 0.1, 0.9], 4, (2 + (2 * 2) / 5) / 4],
  [[1, 1, 0], [0, 1, 1], 1, 1 / 2],
  // one has its place for sure on one side; two share theirs on both sides, with 2/3 and 1/4 of a place each
  [[0.5, 0.5, 0.5, 0, 0], [0.9, 0.1, 0.1, 0.1, 0.1], 2, (2 / 3 + 2 / 4) / 2],
  // unlisted labels take no place
  [[0.5, 0.3, 0.2, null, null, null], [null, null, null, 0.5, 0.3, 0.2], 5, 0],
  [[0.5, 0.3, 0.2, null], [0.5, 0.3, null, 0.2], 5, 2 / 3],
  [[0.5, 0.3, null], [0.5, 0.3, 0.2], 5, 2 / 3],
  [[0, null], [null, 0], 1, 0],
  [[null], [0.1], 1, 0],
  [[], [], 3, 1],
])('%j and %j have an overlap in the top %i of %d', (a, b, k, expected) => {
  expect(topKOverlap(a, b, k)).toBeCloseTo(expected, 15)
  expect(topKOverlap(b, a, k)).toBeCloseTo(expected, 15)
})

test('a side overlaps fully with itself, whatever its ties', () => {
  for (let n = 1; n < 40; n++) {
    const scores = Array.from({ length: n }, (_, i) => (i * 7) % 3)
    for (let k = 1; k < 12; k++) expect(topKOverlap(scores, scores, k)).toBe(1)
  }
})
