import { expect, test } from 'vitest'
import { estimatorOf } from '../estimates/estimator.ts'
import { regrouped } from '../evidence/cut-range.ts'
import { exchangesOf } from '../evidence/exchanges.ts'
import type { RollupRange } from '../rollup-range.ts'
import {
  answered,
  classification,
  contributionsOf,
  normalFrom,
  observe,
  policyOf,
  randomFrom,
  rangeOf,
  regression,
} from '../rollups.fixture.ts'
import { catalogueOf } from './catalogue.ts'
import { measuresOf } from './measures-read.ts'

const random = randomFrom(23)
const bodies = {
  regression: () => ({ value: normalFrom(random) }),
  classification: () => ({ scores: [random(), random(), random()] }),
}

test.each([regression, classification(['a', 'b', 'c'])])(
  'every metric of $kind is the same when read from its own measures only',
  (output) => {
    const policy = policyOf(output)
    const answer = () => answered(bodies[output.kind](), 5 + 30 * random())
    const lot = Array.from({ length: 2000 }, () => contributionsOf(policy, observe(answer(), answer())))
    const range = rangeOf(policy, lot)
    const boundIn = (of: RollupRange, name: string) => estimatorOf(policy, of, exchangesOf(of, [])).bound(name)
    for (const [name, metric] of catalogueOf(policy)) {
      const { sums, hasCells, bins } = measuresOf(metric)
      const only = <Value>(of: Map<string, Value>, names: string[] | null) =>
        new Map([...of].filter(([measure]) => names === null || names.includes(measure)))
      const own = {
        ...range,
        buckets: range.buckets.map((bucket) => ({ ...bucket, sums: only(bucket.sums, sums) })),
        groups: range.groups.map((group) => ({
          ...group,
          cells: hasCells ? group.cells : new Map(),
          bins: only(group.bins, bins),
        })),
      }
      expect(boundIn(own, name), name).toEqual(boundIn(range, name))
    }
  },
)

test('regrouped histograms equal those of the wider groups', () => {
  const policy = policyOf(regression)
  const answer = () => answered(bodies.regression(), 5 + 30 * random())
  const lot = Array.from({ length: 500 }, () => contributionsOf(policy, observe(answer(), answer())))
  const range = rangeOf(policy, lot)
  const day = 24 * 3_600_000
  const daily = regrouped(range, day)
  expect(daily.groups.map(({ at }) => at)).toEqual([0, day])
  expect(regrouped(daily, 2 * day).groups).toEqual(regrouped(range, 2 * day).groups)
  expect(daily.buckets).toBe(range.buckets)
})
