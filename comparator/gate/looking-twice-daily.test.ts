import { describe, expect, test } from 'vitest'
import type { Policy } from '../../vocabulary/policy.ts'
import { limitOnQuantile, quantileMetricOf } from '../metrics/catalogue/quantile-limits.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { confusionMeasure } from '../metrics/measures.ts'
import { hoursOf, poissonFrom } from '../metrics/month.fixture.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { classification, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import { binCountsOf } from '../statistics/bin-counts.ts'
import { binOf } from '../statistics/log-histogram.ts'
import type { Sum, Sums } from '../statistics/sums.ts'
import { evaluateGate, type GateInput } from './evaluate.ts'

/** Simulates whole gates over weeks, with fixed seeds. `looking-daily.test.ts` does so for means alone. */
const simulations = Number(process.env.SIMULATIONS ?? 100)
const hour = 3_600_000
const week = 168
const groupHours = 4
const alpha = 0.05
const limitMs = 250

const policy: Policy = policyOf(
  classification(['a', 'b']),
  [
    { metric: 'agreement', min: 0.98 },
    // for two classes of equal share: 1 − 2 · 0.02
    { metric: 'kappa', min: 0.96 },
    { metric: 'latency.candidate.p99', max: limitMs },
  ],
  { duration: week * hour },
)
const metrics = policy.gate.map(({ metric }) => metric)
const overLimit = limitOnQuantile(quantileMetricOf('latency.candidate.p99', policy)!, 'over', limitMs).measure

interface Week {
  /** True shares of disagreement, and of latencies over the limit; the limits are 0.02 and 0.01. */
  disagreement: number
  over: number
  correlation: number
}

/** A week's hours. Hours with low agreement are not the slow ones. */
function hoursIn({ disagreement, over, correlation }: Week, random: () => number) {
  const share = { support: 'share', spread: 0.4, correlation, quietest: 20, hours: week } as const
  const agreed = hoursOf({ ...share, mean: 1 - disagreement }, random)
  const slow = hoursOf({ ...share, mean: over }, random)
  return agreed.map(({ n, sum }, i) => {
    const half = (count: number) => Math.min(count, poissonFrom(random, count / 2))
    const [ofA, missed] = [half(sum), half(n - sum)]
    const cells: [string, string, number][] = [
      ['a', 'a', ofA],
      ['b', 'b', sum - ofA],
      ['a', 'b', missed],
      ['b', 'a', n - sum - missed],
    ]
    return { n, agreed: sum, slow: slow[i]!, cells }
  })
}

const countOf = (n: number, sum: number): Sum => ({ n, sum, sumSq: sum, min: 0, max: 1 })

function inputOf(hours: ReturnType<typeof hoursIn>): GateInput {
  const buckets = hours.map(({ n, agreed, slow }, i) => ({
    at: i * hour,
    sums: new Map([
      ['exchange:le1KiB', countOf(n, n)],
      ['errorRate.delta', countOf(n, 0)],
      ['agreement', countOf(n, agreed)],
      [overLimit, slow],
    ]),
  }))
  const groups: RollupRange['groups'] = []
  for (let from = 0; from < hours.length; from += groupHours) {
    const within = hours.slice(from, from + groupHours)
    const cells: Sums = new Map()
    for (const [row, column, count] of within.flatMap(({ cells }) => cells)) {
      const measure = confusionMeasure(row, column)
      const n = (cells.get(measure)?.n ?? 0) + count
      if (n > 0) cells.set(measure, { n, sum: n, sumSq: n, min: 1, max: 1 })
    }
    const over = within.reduce((total, { slow }) => total + slow.sum, 0)
    const all = within.reduce((total, { slow }) => total + slow.n, 0)
    const bins = binCountsOf([
      [binOf(100), all - over],
      [binOf(400), over],
    ])
    groups.push({ at: from * hour, cells, bins: new Map([['latency.candidate', bins]]) })
  }
  const range = { from: 0, to: hours.length * hour, bucketMs: hour, buckets, groups }
  return { policy, range, exchanges: exchangesOf(range, []), spannedMs: hours.length * hour }
}

describe('a gate whose limits equal the true values, looked at twice a day for a week', () => {
  test.each([0, 0.5])('decides no check falsely more often than α where hours correlate by %d', (correlation) => {
    const random = randomFrom(17)
    const falsely = { pass: new Map<string, number>(), fail: new Map<string, number>() }
    let gatesPassed = 0
    for (let run = 0; run < simulations; run++) {
      const hours = hoursIn({ disagreement: 0.02, over: 0.01, correlation }, random)
      const seen = { pass: new Set<string>(), fail: new Set<string>() }
      let hasPassed = false
      for (let now = 24; now <= week; now += 12) {
        const { verdict, checks } = evaluateGate(inputOf(hours.slice(0, now)))
        hasPassed ||= verdict === 'pass'
        for (const check of checks) if (check.verdict !== 'inconclusive') seen[check.verdict].add(check.metric)
      }
      if (hasPassed) gatesPassed++
      for (const verdict of ['pass', 'fail'] as const) {
        for (const metric of seen[verdict]) falsely[verdict].set(metric, (falsely[verdict].get(metric) ?? 0) + 1)
      }
    }
    const rates = metrics.map((metric) => ({
      metric,
      pass: (falsely.pass.get(metric) ?? 0) / simulations,
      fail: (falsely.fail.get(metric) ?? 0) / simulations,
    }))
    if (process.env.SIMULATIONS) console.log(correlation, JSON.stringify(rates), gatesPassed)
    for (const { metric, pass, fail } of rates) {
      expect(pass, metric).toBeLessThanOrEqual(alpha)
      expect(fail, metric).toBeLessThanOrEqual(alpha)
    }
    expect(gatesPassed / simulations).toBeLessThanOrEqual(alpha)
  })
})

test('a gate whose limits are twice the true values passes its full window', () => {
  const random = randomFrom(18)
  let passed = 0
  for (let run = 0; run < simulations / 2; run++) {
    const hours = hoursIn({ disagreement: 0.01, over: 0.005, correlation: 0.3 }, random)
    if (evaluateGate(inputOf(hours)).verdict === 'pass') passed++
  }
  expect(passed / (simulations / 2)).toBeGreaterThanOrEqual(0.9)
})

type Hours = ReturnType<typeof hoursIn>
const checkOf = (hours: Hours) => evaluateGate(inputOf(hours)).checks[0]!
/** A wave, whose neighbouring hours are the more alike the slower it is: they correlate by its cosine. */
const waving = (hours: Hours, radiansAnHour: number) =>
  hours.map((each, i) => ({ ...each, agreed: Math.round(each.n * (0.7 + 0.25 * Math.sin(i * radiansAnHour))) }))

test('a check with strongly correlated hours says that its bound may be too narrow', () => {
  const flat = hoursIn({ disagreement: 0.3, over: 0.01, correlation: 0 }, randomFrom(19))
  expect(checkOf(flat)).not.toHaveProperty('correlation')
  expect(checkOf(flat).text).not.toContain('correlated')
  const warned = checkOf(waving(flat, 1 / 20))
  expect(warned.correlation).toBeGreaterThan(0.9)
  expect(warned.correlation).toBeLessThanOrEqual(1)
  expect(warned.text).toContain(
    `neighbouring buckets are correlated (${warned.correlation}): above 0.8 a bound is wrong more often than 5 %`,
  )
})

test('the warning begins where neighbouring hours correlate by 0.8', () => {
  const flat = hoursIn({ disagreement: 0.3, over: 0.01, correlation: 0 }, randomFrom(19))
  const correlationIn = (correlation: number) => checkOf(waving(flat, Math.acos(correlation))).correlation
  expect(correlationIn(0.83)).toBeCloseTo(0.83, 1)
  expect(correlationIn(0.77)).toBeUndefined()
})
