import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { evaluateGate } from '../gate/evaluate.ts'
import { jensenShannon, jensenShannonOfFiner } from '../statistics/jensen-shannon.ts'
import { populationStability, stabilityOfFiner } from '../statistics/population-stability.ts'
import { mergeSums, type Sums } from '../statistics/sums.ts'
import { functionalsOf } from './catalogue/catalogue.ts'
import { accumulate } from './contributions/accumulate.ts'
import { addClasses } from './contributions/class-contribution.ts'
import type { Contribution } from './contributions/contribution.ts'
import { confusionIn } from './evidence/confusion-in.ts'
import type { Evidence } from './evidence/evidence.ts'
import { exchangesOf } from './evidence/exchanges.ts'
import { classShares, classSharesOverTime } from './evidence/shares-of-answers.ts'
import { namesMax, otherName } from './name-sample.ts'
import { answered, contributionsOf, observe, policyOf, randomFrom, rangeOf } from './rollups.fixture.ts'
import { boundsOf } from './views/bounds.ts'
import { totalsOf } from './views/totals.ts'

const free: OutputMapping = { kind: 'classification', label: '/l', topK: 1 }
const pairs = (count: number, labels: number, seed: number) => {
  const random = randomFrom(seed)
  const draw = () => `label ${Math.floor(labels * random() ** 2)}`
  return Array.from({ length: count }, (): [string, string] => {
    const primary = draw()
    return [primary, random() < 0.7 ? primary : draw()]
  })
}
const classOf = (label: string) => ({ kind: 'class' as const, label, scores: null, labels: null })
/** The rollups as one writer adds them, starting with an empty sample. */
function written(part: [string, string][], policy: Policy = policyOf(free)): Sums {
  const contributions = part.map(([p, c]): Contribution => {
    const into: Contribution = { sums: [], bins: [] }
    addClasses(into, policy, [{ primary: classOf(p), candidate: classOf(c) }])
    return into
  })
  return accumulate(contributions).sums
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
    // expected number of labels kept for a while: k·(1 + ln(n/k)) of n, by the chance to be among the k lowest so far
    expect(measures.length).toBeLessThan(2 * namesMax * (2 + Math.log(40_000 / namesMax)))
    const { rows, columns } = confusionIn(written(lot))
    expect(new Set([...rows.keys(), ...columns.keys()]).size).toBeLessThanOrEqual(namesMax + 2)
  })

  test.each([1, 500, 2500, 4999])('give the same matrix for one or two writers (cut at %i)', (cut) => {
    const lot = pairs(5000, 1000, 2)
    const whole = counts(written(lot))
    const [first, second] = [written(lot.slice(0, cut)), written(lot.slice(cut))]
    mergeSums(first, second)
    expect(counts(first)).toEqual(whole)
    expect(counts(written(lot.toReversed()))).toEqual(whole)
  })

  test('are counted whole, with agreements as such and no exchange lost', () => {
    const lot = pairs(5000, 1000, 3)
    const { cells } = confusionIn(written(lot))
    expect(cells.reduce((total, [, , n]) => total + n, 0)).toBe(5000)
    const agreed = cells.reduce((total, [row, column, n]) => total + (row === column ? n : 0), 0)
    expect(agreed).toBe(lot.filter(([p, c]) => p === c).length)
  })

  test('drift between the sides as if all others were one class', () => {
    const even = (shift: number) =>
      Array.from({ length: 5000 }, (_, i): [string, string] => [`label ${i % 1000}`, `label ${(i + shift) % 1000}`])
    // both sides give each label equally often, but never agree
    const found = classShares(written(even(1)))!
    expect(found.labels.length).toBeLessThanOrEqual(namesMax + 1)
    expect(populationStability(found.a, found.b)).toBeCloseTo(0, 12)
  })

  test('bound from both sides the metrics that declared labels would give', () => {
    const random = randomFrom(11)
    const metrics = ['kappa', 'outputDrift.psi', 'outputDrift.js'].map(
      (name) => functionalsOf('classification').find((functional) => functional.name === name)!,
    )
    for (let round = 0; round < 60; round++) {
      const labels = 90 + Math.floor(400 * random() ** 2)
      const [swapped, agreeing, skew] = [random() ** 3, random(), 1 + 5 * random()]
      const draw = () => `label ${Math.floor(labels * random() ** skew)}`
      const lot = Array.from({ length: 2000 }, (): [string, string] => {
        // two labels swapped, which agree less often than by chance
        if (random() < swapped)
          return random() < 0.5 ? [`this ${round}`, `that ${round}`] : [`that ${round}`, `this ${round}`]
        const primary = draw()
        return [primary, random() < agreeing ? primary : draw()]
      })
      const declared = policyOf({ ...free, labels: [...new Set(lot.flat())] })
      const [seen, fine] = [written(lot), written(lot, declared)].map((sums) => ({ sums }) as Evidence)
      for (const { name, estimate, most } of metrics) {
        const truth = estimate(fine!)!
        expect(most!.estimate(seen!)!, name).toBeGreaterThan(truth - 1e-9)
        // an index with a minimum share is not always greater over finer bins
        if (name !== 'outputDrift.psi') expect(estimate(seen!)!, name).toBeLessThan(truth + 1e-9)
      }
      const overTime = ([lots, policy]: [[string, string][][], Policy]) => {
        const [before, after] = lots.map((part) => written(part, policy))
        return classSharesOverTime(before!, after!, 'candidate')!
      }
      const halves = [lot.slice(0, 1000), lot.slice(1000)]
      const [few, all] = [overTime([halves, policyOf(free)]), overTime([halves, declared])]
      const psiAtMost = populationStability(few.a, few.b) + stabilityOfFiner(few.hidden!)
      expect(psiAtMost).toBeGreaterThan(populationStability(all.a, all.b) - 1e-9)
      expect(jensenShannon(few.a, few.b)! + jensenShannonOfFiner(few.hidden!)).toBeGreaterThan(
        jensenShannon(all.a, all.b)! - 1e-9,
      )
    }
  })

  const rangeOfPairs = (policy: Policy, lot: [string, string][]) =>
    rangeOf(
      policy,
      lot.map(([p, c]) => contributionsOf(policy, observe(answered({ l: p }), answered({ l: c })))),
    )
  const gateOf = (policy: Policy, lot: [string, string][]) => {
    const range = rangeOfPairs(policy, lot)
    return evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: 48 * 3600e3 })
  }

  test('bound drift by what others may hide, so that it never passes because of merged labels', () => {
    const boundsWith = (mapping: OutputMapping, labels: number) => {
      const policy = policyOf(mapping)
      return boundsOf(policy, rangeOfPairs(policy, pairs(4000, labels, 9)))
    }
    const many = boundsWith(free, 1000)
    const few = boundsWith(free, 50)
    const declared = boundsWith({ ...free, labels: Array.from({ length: 1000 }, (_, i) => `label ${i}`) }, 1000)
    for (const name of ['outputDrift.psi', 'outputDrift.js', 'kappa']) {
      expect(many[name]!.upper!, name).toBeGreaterThan(declared[name]!.upper!)
      expect(many[name]!.lower!, name).toBeLessThan(declared[name]!.lower!)
    }
    for (const { 'outputDrift.js': js, kappa } of [few, declared]) {
      expect(js!.upper).toBeLessThan(0.5)
      expect(kappa!.upper).toBeLessThan(0.9)
    }
    const gated = policyOf(free, [{ metric: 'outputDrift.psi', max: 1 }])
    const { checks } = gateOf(gated, pairs(4000, 1000, 9))
    expect(checks[0]).toMatchObject({ verdict: 'inconclusive', noForecast: { because: 'others' } })
  })

  test('do not affect a gate on drift where a few are strays among very many answers', () => {
    const random = randomFrom(3)
    const lot = Array.from({ length: 20_000 }, (_, i): [string, string] => {
      const label = `label ${i < namesMax ? i : Math.floor(namesMax * random() ** 4)}`
      return [label, label]
    })
    for (let i = 1; i <= 30; i++) lot[300 * i] = ['label 1', `stray ${i}`]
    const limits = [
      { metric: 'outputDrift.psi', max: 0.05 },
      { metric: 'outputDrift.js', max: 0.01 },
    ]
    const { checks } = gateOf(policyOf(free, limits), lot)
    expect(confusionIn(written(lot)).rows.has(otherName)).toBe(true)
    expect(classShares(written(lot))!.hidden).toBeGreaterThan(0)
    expect(checks.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['pass', 'pass'])
  })

  test('of the candidate only leave the primary’s drift since its first day bounded', () => {
    const random = randomFrom(4)
    const lot = Array.from({ length: 4000 }, (): [string, string] => ['only', `junk ${Math.floor(1000 * random())}`])
    // a label that is kept among the hundred
    const kept = Object.keys(counts(written(lot))).flatMap((cell) => JSON.parse(cell)[1])
    const primary = kept.find((label) => label.startsWith('junk'))
    const policy = policyOf(free)
    const found = boundsOf(
      policy,
      rangeOfPairs(
        policy,
        lot.map(([, c]) => [primary, c]),
      ),
    )
    expect(found['outputDrift.primary.psi']!.upper).toBeLessThan(0.05)
    expect(found['outputDrift.candidate.psi']!.upper).toBeGreaterThan(1)
  })

  test('that one writer has given up are others for a reader, even if another writer kept them', () => {
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

  test('are listed with the share of documents that differ there, worst first', () => {
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
