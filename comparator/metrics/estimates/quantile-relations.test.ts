import { describe, expect, test } from 'vitest'
import type { Bounded } from '../../../vocabulary/bounded.ts'
import { countValues } from '../../statistics/bin-counts.ts'
import { exchangesOf } from '../evidence/exchanges.ts'
import type { RollupRange } from '../rollup-range.ts'
import { normalFrom, policyOf, randomFrom, regression } from '../rollups.fixture.ts'
import { estimatorOf } from './estimator.ts'

const hourMs = 3_600_000
const windows = 40
const policy = policyOf(regression)

/** 48 hours of a hundred latencies each. */
function windowOf(draw: () => number, candidateOf: (ms: number) => number): RollupRange {
  const groups = Array.from({ length: 48 }, (_, hour) => {
    const primary = Array.from({ length: 100 }, draw)
    const candidate = primary.map(candidateOf)
    const bins = new Map([
      ['latency.primary', countValues(primary)],
      ['latency.candidate', countValues(candidate)],
    ])
    return { at: hour * hourMs, cells: new Map(), bins }
  })
  return { from: 0, to: 48 * hourMs, bucketMs: hourMs, buckets: [], groups }
}

const boundsOf: Record<string, (quantile: string, range: RollupRange) => Bounded> = {
  'latency.ratio': (quantile, range) =>
    estimatorOf(policy, range, exchangesOf(range, [])).bound(`latency.ratio.${quantile}`),
  'the ratio of one quantile to the other': (quantile, range) =>
    estimatorOf(policy, range, exchangesOf(range, [])).relate(
      `latency.candidate.${quantile}`,
      `latency.primary.${quantile}`,
      'ratio',
    ),
}

/** The shares of windows whose bound misses the ratio from above and from below, and the bounds' mean width. */
function missesOf(ratio: number, bounds: readonly Bounded[]) {
  const shareOf = (misses: (bound: Bounded) => boolean) => bounds.filter(misses).length / bounds.length
  return {
    above: shareOf(({ lower }) => lower! > ratio),
    below: shareOf(({ upper }) => upper! < ratio),
    width: bounds.reduce((sum, { lower, upper }) => sum + upper! - lower!, 0) / bounds.length,
  }
}

describe.each(Object.entries(boundsOf))('the bound of %s', (_, boundOf) => {
  // a bin is 1 % wide: the medians are in the same bin, in neighbouring ones, or on both sides of an edge
  test.each([0.985, 0.99, 1, 1.005])('contains %d, and is narrower than three bins', (ratio) => {
    const random = randomFrom(53)
    const draw = () => 20 * Math.exp(0.3 * normalFrom(random))
    const candidateOf = (ms: number) => ratio * ms * Math.exp(0.1 * normalFrom(random))
    const bounds = Array.from({ length: windows }, () => boundOf('p50', windowOf(draw, candidateOf)))
    const { above, below, width } = missesOf(ratio, bounds)
    expect(above + below).toBeLessThanOrEqual(0.05)
    expect(width).toBeLessThan(0.03)
  })

  test.each<[string, string, (random: () => number) => number]>([
    ['whole ms', 'p50', (random) => Math.round(20 * Math.exp(0.5 * normalFrom(random)))],
    ['times in steps of 5 ms', 'p95', (random) => 5 * Math.round(4 * Math.exp(0.5 * normalFrom(random)))],
    ['cached answers of 1 ms, and others of 100', 'p95', (random) => (random() < 0.949 ? 1 : 100)],
  ])('contains 1 for %s', (_, quantile, latencyFrom) => {
    const random = randomFrom(59)
    const draw = () => latencyFrom(random)
    const bounds = Array.from({ length: windows }, () => boundOf(quantile, windowOf(draw, draw)))
    const { above, below } = missesOf(1, bounds)
    expect(above).toBeLessThanOrEqual(0.05)
    expect(below).toBeLessThanOrEqual(0.05)
  })
})
