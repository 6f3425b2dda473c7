import { describe, expect, test } from 'vitest'
import { catalogueOf } from '../catalogue/catalogue.ts'
import { exchangesOf } from '../evidence/exchanges.ts'
import {
  answered,
  classification,
  contributionsOf,
  observe,
  policyOf,
  randomFrom,
  rangeOf,
  regression,
} from '../rollups.fixture.ts'
import { estimatorOf } from './estimator.ts'

const outputs = {
  'that are all equal': [5],
  'that are all 0': [0],
  'with ties': [1, 1, 1, 2],
  'of the greatest size': [1e70, -1e70, 0],
  'of every size': [5e-324, 1e-300, 1e-9, 1, 1e70],
  'that differ by rounding': [1, 1 + 1e-15],
  'below 0': [-1, -2, -3],
}
const times = [[10], [0], [1e-300, 0], [1e15, 1], [1e300, 1]]
const exchanges = [0, 1, 2, 48, 400]
const kinds = [
  { policy: policyOf(regression), bodyOf: (pick: () => number) => ({ value: pick() }) },
  { policy: policyOf(classification(['a', 'b'])), bodyOf: (pick: () => number) => ({ scores: [pick(), pick()] }) },
]

describe.each(Object.entries(outputs))('outputs %s', (_, values) => {
  test.each(exchanges)('have finite estimates within their bounds, in %i exchanges of any length', (n) => {
    for (const ms of times) {
      for (const { policy, bodyOf } of kinds) {
        const random = randomFrom(n)
        const oneOf = (items: number[]) => items[Math.floor(random() * items.length)]!
        const outcome = () =>
          random() < 0.02
            ? answered('', 1, 500)
            : answered(
                bodyOf(() => oneOf(values)),
                oneOf(ms),
              )
        const truth = () => (policy.output.kind === 'regression' ? { value: oneOf(values) } : { label: 'a' })
        const contributions = Array.from({ length: n }, () =>
          contributionsOf(policy, observe(outcome(), outcome()), truth()),
        )
        const range = rangeOf(policy, contributions)
        const { bound } = estimatorOf(policy, range, exchangesOf(range, []))
        for (const name of catalogueOf(policy).keys()) {
          const { estimate, lower, upper } = bound(name)
          if (estimate === null) continue
          const rounding = 1e-9 * Math.abs(estimate) + 1e-12
          const what = `${name}: ${estimate} (${lower} to ${upper}), of ${ms} ms`
          expect(Number.isFinite(estimate), what).toBe(true)
          if (lower !== null) expect(lower <= estimate + rounding, what).toBe(true)
          if (upper !== null) expect(upper >= estimate - rounding, what).toBe(true)
        }
      }
    }
  })
})
