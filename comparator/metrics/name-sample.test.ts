import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../vocabulary/output-mapping.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { evaluateGate } from '../gate/evaluate.ts'
import { populationStability } from '../statistics/population-stability.ts'
import { mergeSums, type Sums } from '../statistics/sums.ts'
import { accumulate } from './accumulate.ts'
import { boundsOf, totalsOf } from './compute.ts'
import { confusionIn } from './confusion-in.ts'
import { exchangesOf } from './exchanges.ts'
import { namesMax } from './name-sample.ts'
import { answered, contributionsOf, observe, policyOf, randomFrom, rangeOf } from './rollups.fixture.ts'
import { classShares } from './shares-of-answers.ts'

const free: OutputMapping = { kind: 'classification', label: '/l', topK: 1 }
const pairs = (count: number, labels: number, seed: number) => {
  const random = randomFrom(seed)
  const draw = () => `label ${Math.floor(labels * random() ** 2)}`
  return Array.from({ length: count }, (): [string, string] => {
    const primary = draw()
    return [primary, random() < 0.7 ? primary : draw()]
  })
}
/** As one writer, that starts anew, would add them. */
function written(part: [string, string][], policy: Policy = policyOf(free)): Sums {
  const observations = part.map(([p, c]) => observe(answered({ l: p }), answered({ l: c })))
  return accumulate(observations.flatMap((observation) => contributionsOf(policy, observation))).sums
}
const counts = (sums: Sums) =>
  Object.fromEntries(confusionIn(sums).cells.map(([row, column, n]) => [JSON.stringify([row, column]), n]))
const isConfusion = (measure: string) => measure.startsWith('freeConfusion:')

describe('labels that no mapping declares', () => {
  test('keep their names while they are few', () => {
    expect(
      counts(
        written([
          ['a', 'a'],
          ['a', 'b'],
          ['a', 'b'],
          ['cat', '(other)'],
        ]),
      ),
    ).toEqual({
      '["a","a"]': 1,
      '["a","b"]': 2,
      '["cat","(other)"]': 1,
    })
  })

  test('never make the rollups grow without bound', () => {
    const lot = pairs(20_000, 1e9, 1)
    const measures = [...written(lot).keys()].filter(isConfusion)
    // each label that is kept for a while: k·(1 + ln(n/k)) of n, by the chance to be among the k lowest so far
    expect(measures.length).toBeLessThan(2 * namesMax * (2 + Math.log(40_000 / namesMax)))
    const { rows, columns } = confusionIn(written(lot))
    expect(new Set([...rows.keys(), ...columns.keys()]).size).toBeLessThanOrEqual(namesMax + 2)
  })

  test.each([1, 500, 2500, 4999])('give the same matrix over however many writers (cut at %i)', (cut) => {
    const lot = pairs(5000, 1000, 2)
    const whole = counts(written(lot))
    const [first, second] = [written(lot.slice(0, cut)), written(lot.slice(cut))]
    mergeSums(first, second)
    expect(counts(first)).toEqual(whole)
    expect(counts(written(lot.toReversed()))).toEqual(whole)
  })

  test('are counted whole: agreements as such, and no exchange lost', () => {
    const lot = pairs(5000, 1000, 3)
    const { cells } = confusionIn(written(lot))
    expect(cells.reduce((total, [, , n]) => total + n, 0)).toBe(5000)
    const agreed = cells.reduce((total, [row, column, n]) => total + (row === column ? n : 0), 0)
    expect(agreed).toBe(lot.filter(([p, c]) => p === c).length)
  })

  test('drift between the sides as if the others were one class, however many of them differ', () => {
    const even = (shift: number) =>
      Array.from({ length: 5000 }, (_, i): [string, string] => [`label ${i % 1000}`, `label ${(i + shift) % 1000}`])
    // each side answers each label as often as the other, and they never agree
    const found = classShares(written(even(1)))!
    expect(found.labels.length).toBeLessThanOrEqual(namesMax + 1)
    expect(populationStability(found.a, found.b)).toBeCloseTo(0, 12)
  })

  test('bound what they tell from below alone, so that drift never passes by what was not told apart', () => {
    const label = { kind: 'classification', label: '/l', topK: 1 } as const
    const rangeWith = (policy: Policy, labels: number) =>
      rangeOf(
        policy,
        pairs(4000, labels, 9).map(([p, c]) =>
          contributionsOf(policy, observe(answered({ l: p }), answered({ l: c }))),
        ),
      )
    const boundsWith = (policy: Policy, labels: number) => boundsOf(policy, rangeWith(policy, labels))
    const many = boundsWith(policyOf(label), 1000)
    expect([many['outputDrift.psi']!.upper, many['outputDrift.js']!.upper, many.kappa!.upper]).toEqual([null, 1, 1])
    expect(many['outputDrift.psi']!.lower).not.toBeNull()
    const few = boundsWith(policyOf(label), 50)
    const declared = boundsWith(
      policyOf({ ...label, labels: Array.from({ length: 1000 }, (_, i) => `label ${i}`) }),
      1000,
    )
    for (const { 'outputDrift.js': js, kappa } of [few, declared]) {
      expect(js!.upper).toBeLessThan(0.5)
      expect(kappa!.upper).toBeLessThan(0.9)
    }
    expect(declared.kappa!.estimate!).toBeGreaterThan(many.kappa!.lower!)
    const gated = policyOf(label, [{ metric: 'outputDrift.psi', max: 5 }])
    const range = rangeWith(gated, 1000)
    const { checks } = evaluateGate({ policy: gated, range, exchanges: exchangesOf(range, []), spannedMs: 48 * 3600e3 })
    expect(checks[0]).toMatchObject({ verdict: 'inconclusive', noForecast: { because: 'others' } })
  })

  test('that one writer has given up are others for a reader, also where another writer still kept them', () => {
    const policy = policyOf(free)
    written(pairs(5000, 1000, 4), policy)
    const isGivenUp = (label: string) => !written([[label, label]], policy).has(`freeConfusion:["${label}","${label}"]`)
    const label = Array.from({ length: 1000 }, (_, i) => `late ${i}`).find(isGivenUp)!
    const [old, fresh] = [written(Array(3).fill([label, label]), policy), written(Array(2).fill([label, label]))]
    mergeSums(old, fresh)
    expect(counts(old)).toEqual({ '["(other)","(other)"]': 5 })
  })

  test('that are declared are all kept', () => {
    const labels = Array.from({ length: 300 }, (_, i) => `label ${i}`)
    const policy = policyOf({ ...free, labels })
    const { cells } = confusionIn(
      written(
        labels.map((label): [string, string] => [label, label]),
        policy,
      ),
    )
    expect(cells).toHaveLength(300)
  })
})

describe('places in documents', () => {
  const policy = () => policyOf({ kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } })
  const differing = (of: Policy, count: number, keys: number) =>
    Array.from({ length: count }, (_, i) =>
      contributionsOf(of, observe(answered({ a: 1, b: 1 }), answered({ a: 2, b: i % 2, [`user${i % keys}`]: 1 }))),
    )

  test('are named with the share of documents that differ there, the worst first', () => {
    const of = policy()
    const { worstPaths } = totalsOf(of, rangeOf(of, differing(of, 400, 40)))
    const worst = Object.entries(worstPaths as object)
    expect(worst).toHaveLength(20)
    expect(worst.slice(0, 3)).toEqual([
      ['/a', 1],
      ['/b', 0.5],
      [expect.stringMatching(/^\/user\d+$/), 0.025],
    ])
  })

  test('never make the rollups grow without bound', () => {
    const { sums } = accumulate(differing(policy(), 20_000, 20_000).flat())
    const measures = [...sums.keys()].filter((measure) => measure.startsWith('field:'))
    expect(measures.length).toBeLessThan(2 * namesMax * (1 + Math.log(20_000 / namesMax)))
  })
})
