import { describe, expect, test } from 'vitest'
import type { Policy } from '../../vocabulary/policy.ts'
import { estimatorOf } from '../metrics/estimates/estimator.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { classification, policyOf, regression } from '../metrics/rollups.fixture.ts'
import { failuresBehind, spellFailures } from './failures-behind.ts'

const labels = policyOf(classification(['a', 'b']))
const several: Policy = { ...policyOf(regression), outputs: { price: regression, kind: classification(['a', 'b']) } }

/** The failures behind a metric's estimate over 100 exchanges, of which as many as given were counted so. */
function behind(metric: string, estimate: number | null, counts: Record<string, number>, policy = labels) {
  const sums = new Map(
    Object.entries(counts).map(([measure, n]) => [measure, { n, sum: n, sumSq: n, min: 1, max: 1 }] as const),
  )
  const range = { from: 0, to: 1000, bucketMs: 1000, buckets: [{ at: 0, sums }], groups: [] }
  const bound = { estimate, lower: null, upper: null, n: 100 }
  return failuresBehind(metric, bound, policy, estimatorOf(policy, range, exchangesOf(range, [])))
}

describe('failures are behind', () => {
  test.each<[string, number, number]>([
    ['errorRate.candidate', 0.4, 20],
    ['errorRate.delta', 0.4, 20],
    ['agreement', 0.6, 20],
    ['topKOverlap', 0.6, 20],
    ['outputs.kind.agreement', 0.6, 20],
  ])('%s of %d from %d of 100 exchanges on, half of what is held against it', (metric, estimate, half) => {
    const measure = metric.startsWith('outputs.') ? 'outputs.kind.failed:reset' : 'failed:reset'
    const policy = metric.startsWith('outputs.') ? several : labels
    expect(behind(metric, estimate, { [measure]: half }, policy)).toEqual({ n: half, reason: 'reset', ofReason: half })
    expect(behind(metric, estimate, { [measure]: half - 1 }, policy)).toBeNull()
  })

  test.each<[string, number | null]>([
    ['errorRate.primary', 0.4],
    ['errorRate.candidate', 0],
    ['errorRate.candidate', null],
    ['errorRate.delta', -0.1],
    ['agreement', 1],
    ['scoreMae', 0.4],
    ['latency.candidate.p99', 9],
  ])('no other metric, nor where nothing is held against the candidate: %s of %d', (metric, estimate) => {
    expect(behind(metric, estimate, { 'failed:reset': 50 })).toBeNull()
  })

  test('an error rate by the output that failed most, and a mismatch by its own', () => {
    const counts = { 'failed:reset': 10, 'outputs.price.failed:unmapped': 30, 'outputs.kind.failed:status': 20 }
    expect(behind('errorRate.candidate', 0.4, counts, several)).toMatchObject({ n: 30, reason: 'unmapped' })
    expect(behind('outputs.kind.agreement', 0.6, counts, several)).toMatchObject({ n: 20, reason: 'status' })
  })
})

describe('their reason is', () => {
  test('the most frequent, with its own share of them', () => {
    const found = behind('agreement', 0.5, { 'failed:reset': 10, 'failed:timedOut': 25, 'failed:refused': 5 })!
    expect(found).toEqual({ n: 40, reason: 'timedOut', ofReason: 25 })
    expect(spellFailures(found)).toBe('the candidate failed in 40 exchanges, mostly because it timed out')
    expect(spellFailures({ n: 1, reason: 'reset', ofReason: 1 })).toBe(
      'the candidate failed in 1 exchange, because it broke off the connection',
    )
  })

  test.each<[string, Record<string, number>, string | undefined]>([
    ['status', { 'status:candidate:503': 9, 'status:candidate:500': 20, 'status:primary:404': 30 }, '500'],
    [
      'unmapped',
      { 'unmapped:candidate:type': 9, 'unmapped:candidate:shape': 20, 'unmapped:primary:empty': 9 },
      'shape',
    ],
    // reasons of their own, not for want of an answer
    [
      'unmapped',
      { 'unmapped:candidate:zeroVector': 30, 'unmapped:candidate:dimensions': 25, 'unmapped:candidate:type': 9 },
      'type',
    ],
    ['unmapped', { 'unmapped:candidate:zeroVector': 30 }, undefined],
    ['timedOut', { 'status:candidate:503': 9, 'unmapped:candidate:type': 9 }, undefined],
  ])('%s, with what the candidate mostly answered instead: %j', (reason, counts, found) => {
    const failures = { n: 40, reason, ofReason: 40, ...(found !== undefined && { found }) }
    expect(behind('agreement', 0.5, { [`failed:${reason}`]: 40, ...counts })).toEqual(failures)
  })
})
