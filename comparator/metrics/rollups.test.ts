import { describe, expect, test } from 'vitest'
import type { Observation } from '../../vocabulary/observation.ts'
import { compareObservation } from '../compare/compare-observation.ts'
import { compareOutputs } from '../compare/compare-outputs.ts'
import { binCountsOf, mergeBins } from '../statistics/bin-counts.ts'
import { distributionOfBins } from '../statistics/distribution.ts'
import { binOf, valueOfBin } from '../statistics/log-histogram.ts'
import { mergeSums } from '../statistics/sums.ts'
import { catalogueOfKinds } from './catalogue/catalogue.ts'
import { accumulate } from './contributions/accumulate.ts'
import { contributionOf } from './contributions/observation-contribution.ts'
import { evidenceOf } from './evidence/evidence.ts'
import { coverageOf, exchangesOf } from './evidence/exchanges.ts'
import { bucketWidth } from './rollup-range.ts'
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
} from './rollups.fixture.ts'
import { boundsOf } from './views/bounds.ts'
import { confusionOf } from './views/confusion-matrix.ts'
import { sharedHistogram } from './views/shared-histogram.ts'
import { totalsOf } from './views/totals.ts'
import { latencyDistributionsOf, outputDistributionsOf } from './views/view-distributions.ts'

const labels = ['a', 'b', 'c']

/** A mixture of answers, negative values, errors of either side, and requests shed by our limits. */
function lotOf(count: number, seed: number): Observation[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => {
    const value = 20 * normalFrom(random)
    const primary = answered({ value }, 5 + 50 * random())
    const kind = Math.floor(random() * 10)
    if (kind === 0) return observe(primary, { kind: 'timedOut', totalMs: 1000 })
    if (kind === 1) return observe(primary, { kind: 'shed', totalMs: 0 })
    if (kind === 2) return observe(answered('', 3, 500), answered({ value: 1 }))
    if (kind === 3) return observe(primary, answered('not json'))
    return observe(primary, answered({ value: value + normalFrom(random) }, 5 + 30 * random()))
  })
}

describe('rollups', () => {
  const policy = policyOf(regression, [{ metric: 'latency.candidate.p99', max: 30 }])
  const lot = lotOf(300, 7).flatMap((observation) => contributionsOf(policy, observation))

  test.each([1, 17, 150, 299])('merged from two unequal parts equal those of the whole (cut at %i)', (cut) => {
    const whole = accumulate(lot)
    const first = accumulate(lot.slice(0, cut))
    const second = accumulate(lot.slice(cut))
    mergeSums(first.sums, second.sums)
    expect(mergeBins([first.bins, second.bins])).toEqual(whole.bins)
    expect([...first.sums.keys()].sort()).toEqual([...whole.sums.keys()].sort())
    for (const [measure, sum] of whole.sums) {
      const merged = first.sums.get(measure)!
      expect([merged.n, merged.min, merged.max]).toEqual([sum.n, sum.min, sum.max])
      expect(merged.sum).toBeCloseTo(sum.sum, 6)
      expect(merged.sumSq).toBeCloseTo(sum.sumSq, 6)
    }
  })

  test('do not depend on the order of observations', () => {
    const whole = totalsOf(policy, rangeOf(policy, [lot], 1))
    const turned = totalsOf(policy, rangeOf(policy, [lot.toReversed()], 1))
    expect(turned.absError).toEqual(whole.absError)
    expect(turned.mae).toBeCloseTo(whole.mae as number, 9)
    expect(turned.samples).toBe(whole.samples)
  })

  test('are not modified by being merged', () => {
    const source = accumulate(lot)
    const before = structuredClone(source)
    const into = new Map()
    mergeSums(into, source.sums)
    mergeSums(into, source.sums)
    expect(source).toEqual(before)
  })

  test('give metrics without bounds for too few buckets, and neither without observations', () => {
    const few = boundsOf(policy, rangeOf(policy, [lot], 1))
    expect(few.mae!.estimate).toBeGreaterThan(0)
    expect(few.mae!.lower).toBeNull()
    const empty = rangeOf(policy, [])
    const { samples, ...others } = boundsOf(policy, empty)
    expect(samples!.estimate).toBe(0)
    for (const bound of Object.values(others)) expect(bound).toEqual({ estimate: null, lower: null, upper: null, n: 0 })
    expect(totalsOf(policy, empty)).toMatchObject({ mae: null, rmse: null, coverage: null, samples: 0, labelled: 0 })
    expect(latencyDistributionsOf(evidenceOf(empty))).toEqual({ latency: null, latencyDelta: null, queue: null })
    expect(confusionOf(policy, evidenceOf(empty))).toBeNull()
  })

  test('list undeclared labels with numbers by value first, then names alphabetically', () => {
    const byLabel = policyOf({ kind: 'classification', label: '/class', topK: 1 })
    const ordered = ['-1', '2', '9', '10', '11', '1a', '9b', 'a']
    // alphabetically, 1a would come before 2 and after 10
    for (const written of [ordered, ordered.toReversed(), ['1a', '10', '9b', '2', 'a', '11', '-1', '9']]) {
      const lot = written.flatMap((name) =>
        contributionsOf(byLabel, observe(answered({ class: name }), answered({ class: name }))),
      )
      expect(confusionOf(byLabel, evidenceOf(rangeOf(byLabel, [lot])))!.labels).toEqual(ordered)
    }
  })

  test('bound every metric in order: lower ≤ estimate ≤ upper', () => {
    const spread = lotOf(3000, 8).map((observation) => contributionsOf(policy, observation))
    const bounds = boundsOf(policy, rangeOf(policy, spread))
    const bounded = Object.entries(bounds).filter(([, { lower }]) => lower !== null)
    expect(bounded.length).toBeGreaterThan(25)
    for (const [name, { estimate, lower, upper }] of bounded) {
      expect(lower, name).toBeLessThanOrEqual(estimate!)
      if (name !== 'maxAbsError' && upper !== null) expect(upper, name).toBeGreaterThanOrEqual(estimate!)
    }
  })

  test('bound the drift of an output only from 200 samples on', () => {
    const random = randomFrom(5)
    const pair = () => contributionsOf(policy, observe(answered({ value: random() }), answered({ value: random() })))
    const hundred = boundsOf(policy, rangeOf(policy, Array.from({ length: 100 }, pair)))
    expect(hundred['outputDrift.psi']).toMatchObject({ lower: null, upper: null, n: 100 })
    const thousand = boundsOf(policy, rangeOf(policy, Array.from({ length: 1000 }, pair)))
    expect(thousand['outputDrift.psi']!.upper).toBeGreaterThan(0)
  })

  test('give no drift of outputs too small for histograms, but do for zeros and after scaling', () => {
    const driftOf = (scale: number, size: number) => {
      const random = randomFrom(5)
      const scaled = policyOf({ ...regression, scale })
      const contributions = Array.from({ length: 400 }, () => {
        const value = size * (1 + random())
        return contributionsOf(scaled, observe(answered({ value }), answered({ value: 3 * value })))
      })
      return totalsOf(scaled, rangeOf(scaled, contributions)).outputDrift
    }
    const [unknown, none] = [null, 0].map((of) => ({ psi: of, js: of, ks: of, wasserstein: of }))
    expect(driftOf(1, 1e-11)).toMatchObject({ ...unknown, primary: unknown, candidate: unknown })
    expect(driftOf(1, 0)).toMatchObject(none!)
    expect(driftOf(1e11, 1e-11)).toMatchObject({ psi: expect.any(Number), ks: 1 })
  })

  test('give no drift of vectors whose means are zero except for rounding', () => {
    const contributions = Array.from({ length: 400 }, (_, i) => {
      const value = [0.1 * (i + 1), 0.2 * (i + 1), -0.3 * (i + 1)]
      return contributionsOf(policy, observe(answered({ value }), answered({ value })))
    })
    const { outputDrift } = totalsOf(policy, rangeOf(policy, contributions))
    const none = { psi: 0, js: 0, ks: 0, wasserstein: 0 }
    expect(outputDrift).toMatchObject({ ...none, primary: none, candidate: none })
  })

  test('of vectors correlate by their elements, and drift by their means', () => {
    const totalsWith = (sign: number) => {
      const random = randomFrom(5)
      const contributions = Array.from({ length: 400 }, () => {
        const value = [random(), random() + 1, 5 * random()]
        return contributionsOf(policy, observe(answered({ value }), answered({ value: value.map((of) => sign * of) })))
      })
      return totalsOf(policy, rangeOf(policy, contributions))
    }
    const equal = totalsWith(1)
    expect([equal.pearson, equal.ccc]).toEqual([expect.closeTo(1, 9), expect.closeTo(1, 9)])
    expect(equal.outputDrift).toMatchObject({ psi: 0, js: 0, ks: 0, wasserstein: 0 })
    const opposite = totalsWith(-1)
    expect(opposite.pearson).toBeCloseTo(-1, 9)
    expect(opposite.outputDrift).toMatchObject({ ks: 1 })
  })

  test('keep errors against the truth apart from the difference of the outputs', () => {
    const pairs = [1, 2, 3].map((value) =>
      contributionsOf(policy, observe(answered({ value }), answered({ value: value + 0.5 })), { value: value + 0.5 }),
    )
    expect(totalsOf(policy, rangeOf(policy, pairs))).toMatchObject({
      mae: 0.5,
      maeTruth: { primary: 0.5, candidate: 0, drift: -0.5 },
      labelled: 3,
    })
  })

  test('count a failed candidate as wrong where the truth is known', () => {
    const byLabel = policyOf(classification(labels))
    const failed = observe(answered({ scores: [1, 0, 0] }), { kind: 'reset', totalMs: 1 })
    const totals = totalsOf(byLabel, rangeOf(byLabel, [contributionsOf(byLabel, failed, { label: 'a' })]))
    expect(totals).toMatchObject({ accuracy: { primary: 1, candidate: 0, drift: -1, mcnemarP: 1 }, agreement: 0 })
    expect(totals).toMatchObject({ topKOverlap: 0, scoreMae: null, samples: 1, errorRate: { candidate: 1, delta: 1 } })
  })
})

describe('exchanges', () => {
  const policy = policyOf(regression)
  const range = rangeOf(
    policy,
    lotOf(400, 9).map((observation) => contributionsOf(policy, observation)),
  )

  test('are either compared or skipped for a reason', () => {
    const { compared, skipped, bySizeClass } = exchangesOf(range, [
      { reason: 'tooLarge', sizeClass: 'gt1MiB', count: 40 },
    ])
    const skippedInAll = Object.values(skipped).reduce((a, b) => a + b, 0)
    expect(compared + skippedInAll).toBe(440)
    expect(Object.keys(skipped).sort()).toEqual(['primaryStatus', 'shed', 'tooLarge'])
    expect(bySizeClass.gt1MiB).toEqual({ compared: 0, skipped: 40 })
    expect(bySizeClass.le1KiB.compared).toBe(compared)
  })

  test('that a mirror never sent lower the coverage', () => {
    const alone = coverageOf(exchangesOf(range, []))!
    const reported = coverageOf(exchangesOf(range, [{ reason: 'shed', sizeClass: 'le1KiB', count: 400 }]))!
    expect(reported).toBeCloseTo(alone / 2, 12)
    expect(totalsOf(policy, range).coverage).toBe(alone)
  })
})

describe('what counts', () => {
  const policy = policyOf(regression)
  const sumsOf = (observation: Observation) =>
    new Map(
      contributionOf(policy, observation, compareObservation(regression, observation)).sums.map(([of, value]) => [
        of,
        value,
      ]),
    )

  test('as an error is the lack of a usable answer where both sides had their chance', () => {
    const good = answered({ value: 1 })
    const bad = answered('', 1, 503)
    expect(sumsOf(observe(good, bad)).get('errorRate.delta')).toBe(1)
    expect(sumsOf(observe(bad, good)).get('errorRate.delta')).toBe(-1)
    expect(sumsOf(observe(bad, bad)).get('errorRate.delta')).toBe(0)
    expect(sumsOf(observe(good, { kind: 'shed', totalMs: 0 })).has('errorRate.delta')).toBe(false)
    expect(sumsOf(observe({ kind: 'aborted', totalMs: 0 }, good)).has('errorRate.delta')).toBe(false)
    expect(sumsOf(observe({ kind: 'tooLarge', totalMs: 0 }, good)).has('errorRate.delta')).toBe(false)
  })

  test('by size is the request’s body as received, or as it was recorded', () => {
    const good = answered({ value: 1 })
    const isOfSize = (sizeClass: string, request: Partial<Observation['request']>) =>
      sumsOf({ ...observe(good, good), request: { method: 'POST', path: '/', ...request } }).has(
        `exchange:${sizeClass}`,
      )
    expect(isOfSize('le1KiB', {})).toBe(true)
    expect(isOfSize('le10KiB', { body: 'x', bodyBytes: 1025 })).toBe(true)
    expect(isOfSize('le10KiB', { body: 'é'.repeat(513) })).toBe(true)
    expect(isOfSize('le1KiB', { body: Buffer.alloc(1024).toString('base64'), bodyEncoding: 'base64' })).toBe(true)
  })

  test('by status is what kept an exchange from being compared', () => {
    const [good, refused, absent] = [answered({ value: 1 }), answered('', 1, 422), answered('', 1, 404)]
    const exchanges = [
      [good, absent],
      [good, absent],
      [good, good],
      [refused, absent], // says nothing of the candidate: the primary refused it too
    ] as const
    const all = exchanges.map(([primary, candidate]) => contributionsOf(policy, observe(primary, candidate)))
    expect(totalsOf(policy, rangeOf(policy, all)).status).toEqual({ candidate: { 404: 2 }, primary: { 422: 1 } })
  })

  test('as beyond a limit on a quantile is not a value at the limit', () => {
    const limited = policyOf(regression, [
      { metric: 'latency.candidate.p99', max: 30 },
      { metric: 'latency.delta.p95', min: -3 },
    ])
    const beyondWith = (candidateMs: number) => {
      const observation = observe(answered({ value: 1 }, 33), answered({ value: 1 }, candidateMs))
      return contributionsOf(limited, observation)[0]!.sums.filter(([measure]) => /^(over|under):/.test(measure))
    }
    const [over, under] = ['over:latency.candidate:30', 'under:latency.delta:-3']
    expect(beyondWith(30)).toEqual([
      [over, 0],
      [under, 0],
    ])
    expect(beyondWith(31)).toEqual([
      [over, 1],
      [under, 0],
    ])
    expect(beyondWith(29)).toEqual([
      [over, 0],
      [under, 1],
    ])
  })

  test('as a latency is a pair of successes', () => {
    const good = answered({ value: 1 }, 10)
    expect(sumsOf(observe(good, answered({ value: 1 }, 7))).get('latency.delta')).toBe(-3)
    expect(sumsOf(observe(good, answered('', 1, 503))).has('latency.candidate')).toBe(false)
    expect(sumsOf(observe(answered('', 1, 400), good)).has('latency.primary')).toBe(false)
  })
})

describe('the logarithmic histogram', () => {
  test('keeps every value within half a percent, negative ones too, in order', () => {
    const random = randomFrom(3)
    const values = Array.from({ length: 2000 }, () => normalFrom(random) * 10 ** (random() * 16 - 8)).sort(
      (a, b) => a - b,
    )
    for (const value of values) {
      expect(Math.abs(valueOfBin(binOf(value)) - value)).toBeLessThanOrEqual(0.005001 * Math.abs(value) + 1e-9)
      expect(binOf(-value)).toBe(-binOf(value) + 0)
    }
    const bins = values.map(binOf)
    expect(bins).toEqual(bins.toSorted((a, b) => a - b))
  })

  test('has small integer bins for the extremes', () => {
    for (const value of [0, -0, 1e-300, 1e-9, 1, 1e70, Number.MAX_VALUE, -Number.MAX_VALUE]) {
      expect(Number.isSafeInteger(binOf(value))).toBe(true)
      expect(Math.abs(binOf(value))).toBeLessThan(2 ** 17)
      expect(Number.isFinite(valueOfBin(binOf(value)))).toBe(true)
    }
  })
})

test('two sides share the bins of a histogram, and no value is lost', () => {
  const policy = policyOf(regression)
  const random = randomFrom(11)
  const contributions = Array.from({ length: 500 }, () =>
    contributionsOf(policy, observe(answered({ value: random() }, Math.exp(5 * random())), answered({ value: -1 }, 3))),
  )
  const evidence = evidenceOf(rangeOf(policy, contributions))
  const distributions = { ...latencyDistributionsOf(evidence), ...outputDistributionsOf('regression', evidence) }
  for (const of of ['latency', 'output'] as const) {
    const { edges, primary, candidate } = distributions[of]!
    expect(edges.length).toBe(primary.length + 1)
    expect(primary.length).toBeLessThanOrEqual(60)
    expect(edges).toEqual(edges.toSorted((a, b) => a - b))
    expect(primary.reduce((a, b) => a + b)).toBe(500)
    expect(candidate.reduce((a, b) => a + b)).toBe(500)
  }
})

test('a smooth sample has a smooth histogram in a chart, without gaps between bins', () => {
  // a hundred values in each of the rollups' bins from 20 to 45 ms
  const bins = Array.from({ length: binOf(45) - binOf(20) + 1 }, (_, i): [number, number] => [binOf(20) + i, 100])
  const sample = distributionOfBins(binCountsOf(bins))
  const even = sharedHistogram(sample, sample, 'ratio')!
  const inner = even.primary.slice(1, -1)
  expect(new Set(inner).size).toBe(1)
})

test('a window has at least 48 buckets of at most an hour and at least a second', () => {
  const hour = 3600e3
  expect(bucketWidth(30 * 24 * hour)).toBe(hour)
  expect(bucketWidth(48 * hour)).toBe(hour)
  expect(bucketWidth(47 * hour)).toBe(hour / 2)
  expect(bucketWidth(24 * hour)).toBe(hour / 2)
  expect(bucketWidth(60e3)).toBe(1000)
  expect(bucketWidth(10e3)).toBe(1000)
  expect(bucketWidth(5 * 60e3)).toBe(5000)
})

test('the catalogue names the metrics of one kind of output', () => {
  expect(catalogueOfKinds('regression', []).has('mae')).toBe(true)
  expect(catalogueOfKinds('classification', []).has('mae')).toBe(false)
  expect(catalogueOfKinds('classification', []).has('agreement')).toBe(true)
  expect(catalogueOfKinds('regression', []).has('latency.delta.p95')).toBe(true)
})

test.each(['price', 'constructor'])('a further output called %s has its metrics and counts in the totals', (name) => {
  const policy = { ...policyOf(regression), outputs: { [name]: { ...regression, value: '/other' } } }
  const pairs = [
    observe(answered({ value: 1, other: 2 }), answered({ value: 1, other: 2.5 })),
    observe(answered({ value: 1, other: 2 }), answered({ value: 1 })),
  ]
  const contributions = pairs.map((pair) => [
    contributionOf(policy, pair, compareObservation(policy.output, pair), compareOutputs(policy.outputs, pair)),
  ])
  const { outputs } = totalsOf(policy, rangeOf(policy, contributions))
  const own = { mae: 0.5, failed: { unmapped: 1 }, unmapped: { candidate: { notFound: 1 } } }
  expect(Object.entries(outputs as object)).toEqual([[name, expect.objectContaining(own)]])
})
