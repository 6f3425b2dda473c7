import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import { hourMs } from '../../vocabulary/units.ts'
import { limitOnQuantile, quantileMetricOf } from '../metrics/catalogue/quantile-limits.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { confusionMeasure } from '../metrics/measures.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { classification, normalFrom, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import { binCountsOf } from '../statistics/bin-counts.ts'
import { binOf } from '../statistics/log-histogram.ts'
import type { Sum, Sums } from '../statistics/sums.ts'
import { evaluateGate, type GateInput } from './evaluate.ts'

/** A month of a candidate, hour by hour, as rollups. */

export const month = 30 * 24
export const limitMs = 250
/** Not at midnight, so that the last day does not begin at midnight either. */
export const start = Date.UTC(2026, 9, 1, 7)

type Check = Omit<GateCheck, 'reportOnly'>
export const monthly = (gate: Check[], window: Partial<Policy['window']> = {}) =>
  policyOf(classification(['a', 'b']), gate, { duration: month * hourMs, ...window })

export interface Hour {
  n: number
  /** Shares of the exchanges. */
  agreement: number
  slow?: number
  failing?: number
  labelled?: number
  accuracy?: number
  /** Exchanges that were not compared, in addition to `n`. */
  skipped?: number
}

const shareOf = (n: number, share: number): Sum => {
  const sum = Math.round(n * share)
  return { n, sum, sumSq: sum, min: 0, max: 1 }
}

/** The rollups of these hours; `null` is an hour without rollups. */
export function rangeOf(policy: Policy, hours: readonly (Hour | null)[], groupHours = 24): RollupRange {
  const over = limitOnQuantile(quantileMetricOf('latency.candidate.p99', policy)!, 'over', limitMs).measure
  const buckets = hours.flatMap((hour, i) => {
    if (hour === null) return []
    const { n, agreement, slow = 0, failing = 0, labelled = 0, accuracy = 1, skipped = 0 } = hour
    const exchanges: [string, Sum] = ['exchange:le1KiB', shareOf(n + skipped, n / (n + skipped))]
    if (n === 0) return [{ at: start + i * hourMs, sums: new Map([exchanges]) }]
    const sums: [string, Sum][] = [
      exchanges,
      ['errorRate.candidate', shareOf(n, failing)],
      ['errorRate.primary', shareOf(n, 0)],
      ['errorRate.delta', shareOf(n, failing)],
      ['agreement', shareOf(n, agreement)],
      [over, shareOf(n, slow)],
      ...(failing > 0 ? [['failed:timedOut', shareOf(Math.round(n * failing), 1)] as [string, Sum]] : []),
      ...(labelled > 0 ? [['accuracy.primary', shareOf(Math.round(n * labelled), 1)] as [string, Sum]] : []),
      ...(labelled > 0 ? [['accuracy.candidate', shareOf(Math.round(n * labelled), accuracy)] as [string, Sum]] : []),
    ]
    return [{ at: start + i * hourMs, sums: new Map(sums) }]
  })
  const groups = [
    ...Map.groupBy(buckets, ({ at }) => Math.floor(at / (groupHours * hourMs)) * groupHours * hourMs),
  ].map(([at, within]) => {
    const count = (measure: string) => within.reduce((total, { sums }) => total + (sums.get(measure)?.n ?? 0), 0)
    const agreed = within.reduce((total, { sums }) => total + (sums.get('agreement')?.sum ?? 0), 0)
    const slow = within.reduce((total, { sums }) => total + (sums.get(over)?.sum ?? 0), 0)
    const all = count('agreement')
    const cells: Sums = new Map([
      [confusionMeasure('a', 'a'), { ...shareOf(agreed, 1), min: 1 }],
      [confusionMeasure('a', 'b'), { ...shareOf(all - agreed, 1), min: 1 }],
    ])
    const bins = new Map([
      [
        'latency.candidate',
        binCountsOf([
          [binOf(100), all - slow],
          [binOf(400), slow],
        ]),
      ],
    ])
    return { at, cells, bins }
  })
  return { from: start, to: start + hours.length * hourMs, bucketMs: hourMs, buckets, groups }
}

export function inputOf(policy: Policy, hours: readonly (Hour | null)[], more: Partial<GateInput> = {}): GateInput {
  const range = rangeOf(policy, hours)
  return { policy, range, exchanges: exchangesOf(range, []), spannedMs: policy.window.duration, ...more }
}

/**
 * Hours with a daily cycle: the quietest has a twentieth of the busiest's traffic, and days agree better than nights.
 */
export function dailyHours(
  random: () => number,
  { hours = month, mean = 0.995, cycle = 0.002, quietest = 20 } = {},
): Hour[] {
  return Array.from({ length: hours }, (_, i) => {
    const day = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i % 24)) / 24)
    const n = Math.round(quietest * 20 ** day)
    const expected = 1 - mean + cycle * (0.5 - day)
    const missed = Math.max(0, n * expected + Math.sqrt(n * expected) * normalFrom(random))
    return { n, agreement: 1 - Math.round(missed) / n }
  })
}
export const since = (hours: Hour[], last: number, change: Partial<Hour>) => [
  ...hours.slice(0, -last),
  ...hours.slice(-last).map((hour) => ({ ...hour, ...change })),
]

export const agreement = monthly([{ metric: 'agreement', min: 0.99 }])
export const healthy = () => dailyHours(randomFrom(1))
export const busy = () => dailyHours(randomFrom(2), { quietest: 300 })
export const checkOf = (input: GateInput, metric = 'agreement') =>
  evaluateGate(input).checks.find((check) => check.metric === metric)!
