import { expect, test } from 'vitest'
import { mcnemarP } from './mcnemar.ts'

test('is twice the binomial tail, counted out, for any split of any number of pairs', () => {
  let row = [1]
  for (let n = 1; n <= 60; n++) {
    row = Array.from({ length: n + 1 }, (_, k) => (row[k - 1] ?? 0) + (row[k] ?? 0))
    let tail = 0
    for (let k = 0; 2 * k <= n; k++) {
      tail += row[k]!
      const p = Math.min(1, (2 * tail) / 2 ** n)
      expect(mcnemarP(k, n - k) / p).toBeCloseTo(1, 10)
      expect(mcnemarP(n - k, k)).toBe(mcnemarP(k, n - k))
    }
  }
})

test('stays a probability for very many pairs', () => {
  expect(mcnemarP(500_000, 500_001)).toBeCloseTo(1, 2)
  expect(mcnemarP(499_000, 501_000)).toBeCloseTo(0.0455, 3)
  expect(mcnemarP(0, 5000)).toBe(0)
})
