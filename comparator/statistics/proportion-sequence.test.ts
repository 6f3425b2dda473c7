import { expect, test } from 'vitest'
import { proportionSequence } from './proportion-sequence.ts'
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
