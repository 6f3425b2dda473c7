import { describe, expect, test } from 'vitest'
import { exchangesOf } from '../evidence/exchanges.ts'
import {
  answered,
  contributionsOf,
  normalFrom,
  observe,
  policyOf,
  randomFrom,
  rangeOf,
  regression,
} from '../rollups.fixture.ts'
import { estimatorOf } from './estimator.ts'

/** Number of simulated windows; the seed is fixed. */
const windows = 60
const exchanges = 400
const alpha = 0.05
const policy = policyOf(regression)

/** Student's t with 3 degrees of freedom, whose fourth moment is infinite. */
const heavyFrom = (random: () => number) => {
  const normal = () => normalFrom(random)
  return normal() / Math.sqrt((normal() ** 2 + normal() ** 2 + normal() ** 2) / 3)
}

/** Answers to the same requests: a share of each value is common to both sides, and the candidate's are shifted. */
function windowOf(draw: () => number, common: number, shift: number) {
  const own = Math.sqrt(1 - common ** 2)
  const contributions = Array.from({ length: exchanges }, () => {
    const shared = common * draw()
    const [primary, candidate] = [shared + own * draw(), shared + own * draw() + shift]
    return contributionsOf(policy, observe(answered({ value: primary }), answered({ value: candidate })))
  })
  const range = rangeOf(policy, contributions)
  return estimatorOf(policy, range, exchangesOf(range, []))
}

describe.each([
  ['normal', normalFrom],
  ['heavy', heavyFrom],
] as const)('for answers with %s values,', (_, drawFrom) => {
  test.each([0, 0.9, 0.99])(
    'drift is found no more often than α where both sides draw alike, with a share of %d in common',
    (common) => {
      const random = randomFrom(41)
      const falsely = { ks: 0, wasserstein: 0 }
      for (let run = 0; run < windows; run++) {
        const { bound } = windowOf(() => drawFrom(random), common, 0)
        if (bound('outputDrift.ks').lower! > 1e-9) falsely.ks++
        if (bound('outputDrift.wasserstein').lower! > 1e-9) falsely.wasserstein++
      }
      expect(falsely.ks / windows).toBeLessThanOrEqual(alpha)
      expect(falsely.wasserstein / windows).toBeLessThanOrEqual(alpha)
    },
  )

  test('a difference of half a unit is bounded from below by at least half of it', () => {
    const random = randomFrom(42)
    const lowers = Array.from({ length: 10 }, () => windowOf(() => drawFrom(random), 0.99, 0.5)).map(
      ({ bound }) => bound('outputDrift.wasserstein').lower!,
    )
    expect(Math.min(...lowers)).toBeGreaterThan(0.25)
    expect(Math.max(...lowers)).toBeLessThanOrEqual(0.5)
  })
})
