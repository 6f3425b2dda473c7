import { expect, test } from 'vitest'
import { countsAround, proportionSequence } from './proportion-sequence.ts'
// written by reference-errors.py
import reference from './reference-errors.json' with { type: 'json' }

test.each(reference.sequences)(
  '$k of $n: ends where SciPy’s integral of the mixture does',
  ({ k, n, alpha, expected }) => {
    const { lower, upper } = proportionSequence(k, n, alpha)!
    expect(lower).toBeCloseTo(expected[0]!, 10)
    expect(upper).toBeCloseTo(expected[1]!, 10)
  },
)

test('the counts around a share are all those whose sequence contains it, by trying every one', () => {
  for (const p of [0.001, 0.03, 0.5, 0.9, 0.999]) {
    for (const n of [1, 2, 7, 40, 300]) {
      for (const alpha of [0.3, 0.05, 1e-9]) {
        const around = Array.from({ length: n + 1 }, (_, k) => k).filter((k) => {
          const { lower, upper } = proportionSequence(k, n, alpha)!
          return lower < p && p < upper
        })
        const expected = { least: around[0], greatest: around.at(-1) }
        expect(countsAround(p, n, alpha), `${p} of ${n}, ${alpha}`).toEqual(expected)
      }
    }
  }
})

test('the interval of a share without failures has a width at every count, and narrows with evidence', () => {
  let last = 1
  for (let n = 1; n < 1e7; n *= 3) {
    const { lower, upper } = proportionSequence(0, n, 0.05)!
    expect(lower).toBe(0)
    expect(upper).toBeGreaterThan(Math.min(0.7, 3 / n))
    expect(upper).toBeLessThanOrEqual(last)
    last = upper
    expect(proportionSequence(n, n, 0.05)!.lower).toBeCloseTo(1 - upper, 9)
  }
})
