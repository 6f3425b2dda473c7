import { describe, expect, test } from 'vitest'
import { binCountsOf, countValues } from '../../statistics/bin-counts.ts'
import { distributionOfBins } from '../../statistics/distribution.ts'
import { binOf, valueOfBin } from '../../statistics/log-histogram.ts'
import { evidenceOf } from '../evidence/evidence.ts'
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
import { psiPartsOf } from './psi-parts.ts'
import { type BinScale, histogramOf, sharedHistogram } from './shared-histogram.ts'
import { totalsOf } from './totals.ts'
import { latencyDistributionsOf, outputDistributionsOf } from './view-distributions.ts'

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

describe('the parts of the PSI', () => {
  test('of values are those of ten bins and add up to the metric', () => {
    const policy = policyOf(regression)
    const random = randomFrom(3)
    const lot = Array.from({ length: 800 }, () => {
      const value = 100 + 10 * normalFrom(random)
      return contributionsOf(policy, observe(answered({ value }), answered({ value: value + 4 })))
    })
    const range = rangeOf(policy, lot)
    const parts = psiPartsOf('regression', evidenceOf(range))!
    expect(parts).toMatchObject({ by: 'decile', edges: { length: 9 } })
    expect(sum(parts.parts)).toBeCloseTo((totalsOf(policy, range).outputDrift as { psi: number }).psi, 12)
    expect(parts.psi).toBeCloseTo(sum(parts.parts), 12)
    expect(Math.min(...parts.parts)).toBeGreaterThanOrEqual(0)
    expect(sum(parts.primary)).toBeCloseTo(1)
  })

  test('of classes are named, greatest first', () => {
    const labels = ['a', 'b', 'c']
    const policy = policyOf(classification(labels))
    const scores = (top: number) => answered({ scores: labels.map((_, i) => (i === top ? 0.8 : 0.1)) })
    const lot = Array.from({ length: 300 }, (_, i) =>
      contributionsOf(policy, observe(scores(i % 3), scores(i % 3 === 2 && i % 2 === 0 ? 0 : i % 3))),
    )
    const range = rangeOf(policy, lot)
    const parts = psiPartsOf('classification', evidenceOf(range))!
    expect(parts).toMatchObject({ by: 'class' })
    expect('labels' in parts && parts.labels.toSorted()).toEqual(labels)
    expect(parts.parts).toEqual(parts.parts.toSorted((a, b) => b - a))
    expect(sum(parts.parts)).toBeCloseTo((totalsOf(policy, range).outputDrift as { psi: number }).psi, 12)
  })

  test('are null without answers', () => {
    const nothing = evidenceOf(rangeOf(policyOf(regression), []))
    expect(psiPartsOf('regression', nothing)).toBeNull()
    expect(psiPartsOf('classification', nothing)).toBeNull()
  })
})

const sampleOf = (values: readonly number[]) => ({
  ...distributionOfBins(countValues(values)),
  min: Math.min(...values),
  max: Math.max(...values),
})

/** Checks that each edge has as many values below it as the bins say, but for the 0.5 % that the rollups round by. */
function expectCounts(values: readonly number[], edges: readonly number[], counts: readonly number[]) {
  expect(edges).toEqual(edges.toSorted((a, b) => a - b))
  expect(counts.length).toBe(edges.length - 1)
  expect(sum(counts)).toBe(values.length)
  let counted = 0
  for (const [i, edge] of edges.slice(1, -1).entries()) {
    counted += counts[i]!
    const slack = 0.0101 * Math.abs(edge)
    expect(counted, `below ${edge}`).toBeGreaterThanOrEqual(values.filter((value) => value < edge - slack).length)
    expect(counted, `below ${edge}`).toBeLessThanOrEqual(values.filter((value) => value <= edge + slack).length)
  }
}

const random = randomFrom(11)
const lot = (of: () => number) => Array.from({ length: 3000 }, of)
const normal = () => 10 * normalFrom(random)

test.each<[what: string, scale: BinScale, values: number[]]>([
  ['of both signs', 'width', lot(normal)],
  ['of both signs, a few of them far away', 'width', lot(() => (random() < 0.005 ? 1e5 : normal()))],
  ['of which hardly any is negative', 'width', lot(() => Math.max(-0.5, 25 + normal()))],
  ['below zero', 'width', lot(() => -50 + normal())],
  ['within an order of magnitude', 'width', lot(() => 50 + 50 * random())],
  ['over orders of magnitude', 'width', lot(() => 10 ** (5 * random()))],
  ['of latency', 'ratio', lot(() => 20 + 20 * random())],
  ['of which many are zero', 'ratio', lot(() => (random() < 0.3 ? 0 : 100 * random()))],
  ['in whole numbers', 'whole', lot(() => 20 + Math.floor(154 * random()))],
  ['as large as numbers can be', 'width', lot(() => (2 * random() - 1) * 1e70)],
])('the histogram of values %s counts them where they are', (_, scale, values) => {
  const { edges, counts } = histogramOf(sampleOf(values), scale)!
  expectCounts(values, edges, counts)
  expect(counts.length).toBeLessThanOrEqual(61)
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(25)
  // few are beyond its ends
  const ordered = values.toSorted((a, b) => a - b)
  const left = Math.ceil((ordered[0]! < 0 ? 0.01 : 0.001) * values.length)
  expect(edges[1]).toBeGreaterThan(ordered[0]!)
  expect(edges[0]).toBeLessThanOrEqual(ordered[left]!)
  expect(edges.at(-2)).toBeLessThan(ordered.at(-1)!)
  expect(edges.at(-1)).toBeGreaterThanOrEqual(ordered.at(-1 - left)!)
})

test.each([3, -3])('the histogram of values that are all %d has bins on both sides', (value) => {
  const values = Array(50).fill(value)
  const { edges, counts } = histogramOf(sampleOf(values), 'width')!
  expectCounts(values, edges, counts)
  expect(edges[0]).toBeLessThan(value)
  expect(edges.at(-1)).toBeGreaterThan(value)
})

test('two samples share a histogram that reaches from the least of both to the greatest', () => {
  const [low, high] = [lot(() => 50 + normal()), lot(() => 200 + normal())]
  for (const scale of ['width', 'ratio', 'whole'] as const) {
    for (const [primary, candidate] of [
      [low, high],
      [high, low],
    ] as const) {
      const shared = sharedHistogram(sampleOf(primary), sampleOf(candidate), scale)!
      expectCounts(primary, shared.edges, shared.primary)
      expectCounts(candidate, shared.edges, shared.candidate)
      expect(shared.edges[0]).toBeLessThan(40)
      expect(shared.edges.at(-1)).toBeGreaterThan(210)
    }
    const alone = sharedHistogram(sampleOf(low), sampleOf([]), scale)!
    expectCounts(low, alone.edges, alone.primary)
    expect(sum(alone.candidate)).toBe(0)
  }
  expect(sharedHistogram(sampleOf([]), sampleOf([]), 'width')).toBeNull()
})

describe('the histogram of one sample', () => {
  const ofValues = (values: number[], scale: BinScale = 'width') =>
    histogramOf(distributionOfBins(countValues(values)), scale)!

  test('has an edge at zero where values have both signs, and loses none', () => {
    const random = randomFrom(5)
    const { edges, counts } = ofValues(Array.from({ length: 2000 }, () => 30 * normalFrom(random) - 12))
    expect(edges).toContain(0)
    expect(counts.length).toBe(edges.length - 1)
    expect(counts.length).toBeLessThanOrEqual(61)
    expect(sum(counts)).toBe(2000)
    expect(counts.every((count) => Number.isInteger(count) && count >= 0)).toBe(true)
  })

  test('of zeros starts at zero, with bins wide enough to be read', () => {
    const { edges, counts } = ofValues(Array(2000).fill(0), 'ratio')
    expect([edges[0], edges[1], edges.at(-1)]).toEqual([0, 0.025, 1])
    expect([counts[0], sum(counts)]).toEqual([2000, 2000])
  })

  test('of counts has each whole number in one bin', () => {
    const { edges, counts } = ofValues([0, 1, 1, 2, 2, 2, 5], 'whole')
    expect(edges).toEqual([-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5])
    expect(counts).toEqual([1, 2, 3, 0, 0, 1])
    expect(
      ofValues(
        Array.from({ length: 300 }, (_, i) => i),
        'whole',
      ).counts.length,
    ).toBeLessThanOrEqual(60)
  })

  test('has bins of equal width unless values span orders of magnitude', () => {
    const widths = ({ edges }: { edges: number[] }) => edges.slice(1).map((edge, i) => edge - edges[i]!)
    const even = widths(ofValues([100, 120, 150, 200]))
    expect(Math.max(...even) / Math.min(...even)).toBeCloseTo(1, 6)
    const orders = widths(ofValues([1, 10, 100, 1000]))
    expect(orders.at(-1)! / orders[0]!).toBeGreaterThan(10)
  })

  test('has no excess at its ends where the rollups have few bins for all values', () => {
    const values = Array.from({ length: 20_000 }, (_, i) => 412_345 + i)
    const sample = { ...distributionOfBins(countValues(values)), min: values[0], max: values.at(-1) }
    const { edges, counts } = histogramOf(sample, 'width')!
    expect([edges[0], edges.at(-1)]).toEqual([412_345, 432_344])
    expect(Math.max(...counts) / Math.min(...counts)).toBeLessThan(1.1)
    // with unknown extremes, it ends at the rollups' bins
    const unknown = ofValues(values)
    expect(Math.max(...unknown.counts)).toBeLessThan(1.1 * Math.max(...unknown.counts.slice(5, -5)))
    const scores = { ...distributionOfBins(countValues([0.5, 0.9, 1, 1])), min: 0.5, max: 1 }
    expect(histogramOf(scores, 'width')!.edges.at(-1)).toBe(1)
  })

  test('of values too small for the rollups’ bins extends from the smallest to the greatest', () => {
    const sample = distributionOfBins(countValues([4e-11, 2e-10, 3e-10]))
    for (const [min, max] of [
      [4e-11, 3e-10],
      [-3e-10, -4e-11],
      [-4e-11, 3e-10],
    ] as const) {
      const { edges, counts } = histogramOf({ ...sample, min, max }, 'width')!
      expect([edges[0], edges.at(-1)]).toEqual([min, expect.closeTo(max, 20)])
      expect(edges).toEqual(edges.toSorted((a, b) => a - b))
      expect(sum(counts)).toBe(3)
    }
  })

  test('shows no comb where its bins cut across those of the rollups', () => {
    const bins = new Map<number, number>()
    // a density as even as bins of one per cent allow, from −60 to −20 and at 0
    for (let bin = binOf(20); bin <= binOf(60); bin++) bins.set(-bin, Math.round(1000 * valueOfBin(bin)))
    bins.set(binOf(1), 1)
    const inner = histogramOf(distributionOfBins(binCountsOf(bins)), 'width')!.counts.slice(2, 30)
    expect(Math.max(...inner) / Math.min(...inner)).toBeLessThan(1.05)
  })
})

test('queue time is that of the shadow leg, whichever that is, and part of no latency', () => {
  const policy = policyOf(regression)
  const queued = (totalMs: number) => ({ ...answered({ value: 1 }, totalMs), queuedMs: 7 })
  const of = (primary: ReturnType<typeof answered>, candidate: ReturnType<typeof answered>) => {
    const range = rangeOf(policy, [contributionsOf(policy, observe(primary, candidate))], 1)
    const { latency } = totalsOf(policy, range) as any
    return {
      queue: latency.queue.mean,
      candidate: latency.candidate.mean,
      kept: latencyDistributionsOf(evidenceOf(range)).queue,
    }
  }
  expect(of(answered({ value: 1 }, 20), queued(10))).toMatchObject({ queue: 7, candidate: 10 })
  expect(of(queued(20), answered({ value: 1 }, 10))).toMatchObject({ queue: 7, candidate: 10 })
  expect(of(answered({ value: 1 }), answered({ value: 1 }))).toMatchObject({ queue: null, kept: null })
})

test('each kind has the histogram of its own distance or similarity, except classifications', () => {
  const policy = policyOf(regression)
  const range = rangeOf(policy, [contributionsOf(policy, observe(answered({ value: 1 }), answered({ value: 3 })))], 1)
  const { apart } = outputDistributionsOf('regression', evidenceOf(range))
  expect(apart).toMatchObject({ metric: 'mae' })
  expect(sum(apart!.counts)).toBe(1)
  expect(apart!.edges[0]).toBeLessThan(2)
  expect(apart!.edges.at(-1)).toBeGreaterThan(2)
  expect(outputDistributionsOf('classification', evidenceOf(range)).apart).toBeNull()
})
