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

/** 48 hours of latencies of about 20 ms, with the candidate's a multiple of the primary's. */
function windowOf(ratio: number, random: () => number): RollupRange {
  const groups = Array.from({ length: 48 }, (_, hour) => {
    const primary = Array.from({ length: 100 }, () => 20 * Math.exp(0.3 * normalFrom(random)))
    const candidate = primary.map((ms) => ratio * ms * Math.exp(0.1 * normalFrom(random)))
    const bins = new Map([
      ['latency.primary', countValues(primary)],
      ['latency.candidate', countValues(candidate)],
    ])
    return { at: hour * hourMs, cells: new Map(), bins }
  })
  return { from: 0, to: 48 * hourMs, bucketMs: hourMs, buckets: [], groups }
}

describe.each([
  [
    'latency.ratio.p50',
    (range: RollupRange) => estimatorOf(policy, range, exchangesOf(range, [])).bound('latency.ratio.p50'),
  ],
  [
    'the ratio of one median to the other',
    (range: RollupRange) =>
      estimatorOf(policy, range, exchangesOf(range, [])).relate(
        'latency.candidate.p50',
        'latency.primary.p50',
        'ratio',
      ),
  ],
] as [string, (range: RollupRange) => Bounded][])('the bound of %s', (_, boundOf) => {
  // a bin is 1 % wide: the medians are in the same bin, in neighbouring ones, or on both sides of an edge
  test.each([0.985, 0.99, 1, 1.005])('contains %d, and is narrower than three bins', { timeout: 60_000 }, (ratio) => {
    const random = randomFrom(53)
    const bounds = Array.from({ length: windows }, () => boundOf(windowOf(ratio, random)))
    const missed = bounds.filter(({ lower, upper }) => lower! > ratio || upper! < ratio)
    expect(missed.length / windows).toBeLessThanOrEqual(0.05)
    const width = bounds.reduce((sum, { lower, upper }) => sum + upper! - lower!, 0) / windows
    expect(width).toBeLessThan(0.03)
  })
})
