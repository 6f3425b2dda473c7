import { describe, expect, test } from 'vitest'
import type { Policy } from '../../vocabulary/policy.ts'
import type { Support } from '../metrics/catalogue/metric.ts'
import { boundOfMean, projectMean } from '../metrics/estimates/mean-bound.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { hoursOf } from '../metrics/month.fixture.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { classification, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import { evaluateGate, type GateInput } from './evaluate.ts'
import { judgeBound } from './judge.ts'

const supports: Support[] = ['real', 'nonNegative', 'share', 'cosine', 'cosineDistance', 'paired']
/** Traffic of various kinds, each with its own seed. */
const cases = supports.flatMap((support) =>
  Array.from({ length: 25 }, (_, i) => {
    const random = randomFrom(1000 * i + support.length)
    const near = 0.04 * random()
    const ofVectors = { cosine: 1 - near, cosineDistance: near }
    const mean = { real: near * 25 - 0.5, nonNegative: near * 25, share: near * 25, paired: -near / 4, ...ofVectors }[
      support
    ]
    const correlation = 0.9 * random()
    const hours = hoursOf({ support, mean, spread: 0.3, correlation, quietest: 5, hours: 60 }, random)
    return { support, hours, limit: { max: mean * (0.7 + 0.6 * random()) } }
  }),
)

describe('for evidence of every kind', () => {
  test('a bound contains its estimate, and has a width wherever hours differ', () => {
    for (const { support, hours } of cases) {
      const bound = boundOfMean(hours, support, { alpha: 0.05, planned: 60 })
      if (bound === null) continue
      const n = hours.reduce((total, hour) => total + hour.n, 0)
      const mean = hours.reduce((total, hour) => total + hour.sum, 0) / n
      expect(bound.lower).toBeLessThan(mean)
      expect(bound.upper).toBeGreaterThan(mean)
    }
  })

  test('more of the same evidence never revokes a verdict, nor turns a pass into a fail', () => {
    for (const { support, hours, limit } of cases) {
      const project = projectMean(hours, support, { alpha: 0.05, planned: 60 })
      const n = hours.reduce((total, hour) => total + hour.n, 0)
      const estimate = hours.reduce((total, hour) => total + hour.sum, 0) / n
      let last = 'inconclusive'
      for (let growth = 1; growth < 1e6; growth *= 1.7) {
        const bound = project(growth)
        const verdict = bound === null ? 'inconclusive' : judgeBound({ estimate, ...bound }, limit)
        if (last !== 'inconclusive') expect(verdict).toBe(last)
        last = verdict
      }
    }
  })

  test('higher confidence never decides what a lower one left open, and never reverses a verdict', () => {
    for (const { support, hours, limit } of cases) {
      let last = 'inconclusive'
      // from the widest bound to the narrowest
      for (const alpha of [1e-6, 0.001, 0.01, 0.05, 0.2, 0.4]) {
        const bound = boundOfMean(hours, support, { alpha, planned: 60 })
        const verdict = bound === null ? 'inconclusive' : judgeBound({ estimate: 0, ...bound }, limit)
        if (last !== 'inconclusive') expect(verdict).toBe(last)
        last = verdict
      }
    }
  })

  test('a wider limit never turns a pass into anything else', () => {
    for (const { support, hours } of cases) {
      const bound = boundOfMean(hours, support, { alpha: 0.05, planned: 60 })
      if (bound === null) continue
      let hasPassed = false
      for (let max = -1; max < 5; max += 0.05) {
        const verdict = judgeBound({ estimate: 0, ...bound }, { max })
        if (hasPassed) expect(verdict).toBe('pass')
        hasPassed ||= verdict === 'pass'
      }
      expect(hasPassed).toBe(true)
    }
  })
})

describe('a window must have', () => {
  const hour = 3_600_000
  const week = 168
  const policyWith = (window: Partial<Policy['window']>) =>
    policyOf(classification(['a', 'b']), [{ metric: 'agreement', min: 0.9 }], {
      duration: week * hour,
      samplesMin: 10,
      ...window,
    })
  const monday = Date.parse('2026-11-16T00:00:00Z')
  function gateOf(
    policy: Policy,
    hours: number[],
    skips: Parameters<typeof exchangesOf>[1] = [],
    freshness?: GateInput['freshness'],
    skippedAt?: number,
  ) {
    const sum = { n: 100, sum: 99, sumSq: 99, min: 0, max: 1 }
    const every = { n: 100, sum: 100, sumSq: 100, min: 1, max: 1 }
    const none = { n: 100, sum: 0, sumSq: 0, min: 0, max: 0 }
    const range: RollupRange = {
      from: monday,
      to: monday + week * hour,
      bucketMs: hour,
      buckets: hours.map((at) => ({
        at: monday + at * hour,
        sums: new Map([
          ['agreement', sum],
          ['exchange:le1KiB', at === skippedAt ? none : every],
          ['errorRate.delta', none],
        ]),
      })),
      groups: [],
    }
    return evaluateGate({ policy, range, exchanges: exchangesOf(range, skips), spannedMs: week * hour, freshness })
  }
  const hours = Array.from({ length: week }, (_, i) => i)

  test('every hour of the week, if the policy says so', () => {
    const policy = policyWith({ everyHourOfWeek: true })
    const all = gateOf(policy, hours)
    expect(all.verdict).toBe('pass')
    expect(all.checks.find(({ metric }) => metric === 'everyHourOfWeek')).toMatchObject({
      estimate: 168,
      verdict: 'pass',
    })
    // an hour whose exchanges were all skipped was not seen
    const gaps = gateOf(
      policy,
      hours.filter((at) => at !== 26),
      [],
      undefined,
      167,
    )
    expect(gaps).toMatchObject({
      verdict: 'inconclusive',
      reason: '166 of the week’s 168 hours were seen; missing Tue 02:00, Sun 23:00 (UTC).',
    })
    const metrics = gateOf(policyWith({}), hours.slice(1)).checks.map(({ metric }) => metric)
    expect(metrics).not.toContain('everyHourOfWeek')
  })

  test('a newest exchange no older than the policy allows, or of any age if it sets no limit', () => {
    const newestAt = Date.UTC(2026, 5, 1)
    const day = 24 * hour
    const aged = (ms: number, window: Partial<Policy['window']> = { ageMax: 2 * day }) =>
      gateOf(policyWith(window), hours, [], { newestAt, judgedAt: newestAt + ms })
    expect(aged(2 * day)).toMatchObject({ verdict: 'pass' })
    const unseen = gateOf(policyWith({ ageMax: 2 * day }), []).checks.find(({ metric }) => metric === 'age')
    expect(unseen).toMatchObject({ verdict: 'inconclusive', text: 'No exchange was compared yet → inconclusive' })
    const old = aged(2 * day + 1)
    expect(old).toMatchObject({
      verdict: 'inconclusive',
      reason: 'The newest exchange (2026-06-01 00:00 UTC) is more than 2 d old.',
    })
    // the result must not change with every millisecond without evidence
    expect(aged(30 * day)).toEqual(old)
    expect(old.checks.find(({ metric }) => metric === 'age')).toMatchObject({ verdict: 'inconclusive', decides: true })
    const without = aged(30 * day, {})
    expect(without.verdict).toBe('pass')
    expect(without.checks.map(({ metric }) => metric)).not.toContain('age')
  })

  test('the coverage set for a size class, above or below the overall minimum', () => {
    const skips = [{ reason: 'tooLarge', sizeClass: 'gt1MiB' as const, count: 40 }]
    expect(gateOf(policyWith({ coverageMinBySize: { gt1MiB: 0 } }), hours, skips).verdict).toBe('pass')
    // 0.2 % of the exchanges: too rare to be judged unless the policy names the class
    expect(gateOf(policyWith({}), hours, skips).verdict).toBe('pass')
    const named = gateOf(policyWith({ coverageMinBySize: { gt1MiB: 0.5 } }), hours, skips)
    expect(named).toMatchObject({
      verdict: 'inconclusive',
      reason: 'Coverage of requests of over 1 MiB is 0 % (50 % needed).',
    })
    const shed = { reason: 'shed', sizeClass: 'le1KiB' as const, count: 400 }
    expect(gateOf(policyWith({ coverageMinBySize: { le1KiB: 0.99 } }), hours, [shed]).verdict).toBe('inconclusive')
    // the class with the least coverage is not the one that falls short
    const both = gateOf(policyWith({ coverageMinBySize: { le1KiB: 0.99, gt1MiB: 0 } }), hours, [...skips, shed])
    expect(both).toMatchObject({ verdict: 'inconclusive', reason: expect.stringContaining('up to 1 KiB') })
  })

  test('coverage in spite of what a mirror lost', () => {
    const gate = gateOf(policyWith({}), hours, [{ reason: 'rejected', sizeClass: 'le1KiB', count: 2000 }])
    expect(gate.verdict).toBe('inconclusive')
    expect(gate.reason).toMatch(
      /^Coverage is 89\.\d+ % \(95 % needed\); skipped most often \(2,000\) because the comparator did not accept them\.$/,
    )
    expect(gate.checks.find(({ metric }) => metric === 'coverage')!.text).toContain(
      '; skipped most often (2,000) because the comparator',
    )
  })
})
