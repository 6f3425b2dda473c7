import { describe, expect, test } from 'vitest'
import type { CheckResult, NoForecast } from '../../vocabulary/api/gate.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import type { Support } from '../metrics/catalogue/metric.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { hoursOf } from '../metrics/month.fixture.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { classification, policyOf, randomFrom } from '../metrics/rollups.fixture.ts'
import type { Sum } from '../statistics/sums.ts'
import { evaluateGate } from './evaluate.ts'
import { forecastCount, forecastVerdict, noBound, noOutlook } from './forecast.ts'

const hour = 3_600_000
const month = 720

function rangeOf(measure: string, hours: Sum[]): RollupRange {
  const buckets = hours.map((sum, i) => ({
    at: i * hour,
    sums: new Map([
      [measure, sum],
      ['exchange:le1KiB', { n: sum.n, sum: sum.n, sumSq: sum.n, min: 1, max: 1 }],
      ['errorRate.delta', { n: sum.n, sum: 0, sumSq: 0, min: 0, max: 0 }],
    ]),
  }))
  return { from: 0, to: hours.length * hour, bucketMs: hour, buckets, groups: [] }
}

function checkAt(policy: Policy, measure: string, hours: Sum[], metric: string): CheckResult {
  const range = rangeOf(measure, hours)
  const spannedMs = Math.min(hours.length * hour, policy.window.duration)
  const { checks } = evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs })
  return checks.find((check) => check.metric === metric)!
}

const given = {
  agreement: { support: 'share', mean: 0.985, spread: 0.5, check: { metric: 'agreement', min: 0.98 } },
  scoreMae: { support: 'nonNegative', mean: 0.04, spread: 0.4, check: { metric: 'scoreMae', max: 0.045 } },
  'accuracy.drift': { support: 'paired', mean: 0, spread: 0.3, check: { metric: 'accuracy.drift', min: -0.004 } },
} as const satisfies Record<string, { support: Support; mean: number; spread: number; check: object }>

describe('a forecast', () => {
  const policy = policyOf(
    classification(['a', 'b']),
    Object.values(given).map(({ check }) => check),
    { duration: month * hour },
  )

  test.each(Object.keys(given) as (keyof typeof given)[])(
    'of the time until %s is decided is right within a factor of three, nine times out of ten',
    (metric) => {
      const random = randomFrom(21)
      let made = 0
      let right = 0
      for (let run = 0; run < 60; run++) {
        const traffic = { ...given[metric], correlation: 0.3, quietest: 20, hours: month }
        const hours = hoursOf(traffic, random)
        const at = 120
        const { forecast } = checkAt(policy, metric, hours.slice(0, at), metric)
        if (!forecast) continue
        made++
        let decided = at + 6
        while (decided < month && checkAt(policy, metric, hours.slice(0, decided), metric).verdict === 'inconclusive')
          decided += 6
        const total = at + forecast.hours
        // forecasts beyond the window are not made, and waits beyond its end are cut off, so these are lower bounds
        if (total / decided < 3 && decided / total < 3) right++
        expect(forecast.observations).toBeGreaterThan(0)
      }
      expect(made).toBeGreaterThan(25)
      expect(right / made).toBeGreaterThanOrEqual(0.9)
    },
  )

  const flat = (n: number, sum: number, count: number): Sum[] =>
    Array.from({ length: count }, (_, i) => ({ n, sum: sum + (i % 2 ? 1 : -1), sumSq: sum, min: 0, max: 1 }))

  test('says the same in words and numbers, and the check is decided at that time', () => {
    const hours = flat(200, 196, 240)
    const check = checkAt(
      policyOf(classification(['a', 'b']), [{ metric: 'agreement', min: 0.978 }], { duration: month * hour }),
      'agreement',
      hours,
      'agreement',
    )
    expect(check.verdict).toBe('inconclusive')
    const { observations, hours: needed } = check.forecast!
    expect(observations / needed).toBeCloseTo(200, 0)
    expect(check.text).toMatch(/ → inconclusive; pass after about [\d,]+ more, [\d.]+ (h|d) at the present rate$/)
    const later = flat(200, 196, 240 + Math.ceil(needed * 1.1))
    const again = checkAt(
      policyOf(classification(['a', 'b']), [{ metric: 'agreement', min: 0.978 }], { duration: month * hour }),
      'agreement',
      later,
      'agreement',
    )
    expect(again).toMatchObject({ verdict: 'pass', forecast: null })
  })

  const judged = (min: number, hours: Sum[]) =>
    checkAt(
      policyOf(classification(['a', 'b']), [{ metric: 'agreement', min }], { duration: month * hour }),
      'agreement',
      hours,
      'agreement',
    )

  test('is not made where the estimate lies on the limit', () => {
    const check = judged(0.98, flat(200, 196, 240))
    expect(check).toMatchObject({ verdict: 'inconclusive', forecast: null })
    expect(check.noForecast).toEqual({ because: 'onLimit' })
    expect(check.text).toContain('the estimate is on the limit')
  })

  test('is not made beyond what the window holds, and says how much evidence would be needed', () => {
    const check = judged(0.976, flat(20, 19.6, month))
    expect(check).toMatchObject({ verdict: 'inconclusive', forecast: null })
    expect(check.text).toMatch(/pass would take [\d.]+ d at the present rate, [\d.]+ times the window$/)
    const { hours, windows } = check.noForecast as Extract<NoForecast, { because: 'beyondWindow' }>
    expect(windows).toBeGreaterThan(1)
    expect(hours / month / windows).toBeCloseTo(1, 2)
  })

  test('has no figure where it would take more than a year', () => {
    const check = judged(0.97999, flat(20, 19.6, month))
    expect(check.noForecast).toMatchObject({ because: 'beyondWindow' })
    expect(check.text).toMatch(/pass would take more than a year, so not at this rate$/)
  })

  test('is not made without evidence, nor from too few buckets', () => {
    const none = { verdict: 'inconclusive', forecast: null, noForecast: { because: 'noBound' } }
    expect(judged(0.9, [])).toMatchObject(none)
    expect(judged(0.9, flat(20, 19, 3))).toMatchObject(none)
    expect(judged(0.9, flat(20, 19, 3)).text).not.toContain('on the limit')
  })

  test('of a pass waits for the minimum samples, but not one of a failure', () => {
    const policy = (min: number, samplesMin: number) =>
      policyOf(classification(['a', 'b']), [{ metric: 'agreement', min }], { duration: month * hour, samplesMin })
    const hours = flat(200, 196, 240)
    const forecast = (min: number, samplesMin: number) =>
      checkAt(policy(min, samplesMin), 'agreement', hours, 'agreement').forecast!.observations
    expect(forecast(0.978, 1)).toBeLessThan(60_000)
    expect(forecast(0.978, 120_000)).toBe(72_000)
    expect(forecast(0.982, 120_000)).toBe(forecast(0.982, 1))
    expect(checkAt(policy(0.978, 200_000), 'agreement', hours, 'agreement')).toMatchObject({
      forecast: null,
      noForecast: { because: 'beyondWindow', windows: 1.39 },
    })
  })

  test('of samples that the window cannot hold at this rate says by how much', () => {
    const policy = policyOf(classification(['a', 'b']), [{ metric: 'agreement', min: 0.9 }], {
      duration: month * hour,
      samplesMin: 288_000,
    })
    const check = checkAt(policy, 'agreement', flat(200, 196, 240), 'samples')
    expect(check.noForecast).toEqual({ because: 'beyondWindow', hours: 1440, windows: 2 })
    expect(check.forecast).toBeNull()
  })

  test('of the samples and of the duration counts what is missing', () => {
    const policy = policyOf(classification(['a', 'b']), [{ metric: 'agreement', min: 0.9 }], {
      duration: month * hour,
      samplesMin: 60_000,
    })
    const hours = flat(200, 196, 240)
    expect(checkAt(policy, 'agreement', hours, 'samples').forecast).toEqual({ observations: 12_000, hours: 60 })
    expect(checkAt(policy, 'agreement', hours, 'duration').forecast).toEqual({ observations: 96_000, hours: 480 })
  })
})

describe('the outlook', () => {
  const decidedAt =
    (least: number) =>
    (growth: number): Verdict =>
      growth >= least ? 'pass' : 'inconclusive'
  const never = decidedAt(Number.POSITIVE_INFINITY)
  const pace = { spannedMs: 10 * hour, durationMs: 100 * hour }
  const given = { n: 1000, bounds: [{ lower: 0.4, upper: 0.6 }], pace }

  test.each([
    [1.75, { observations: 750, hours: 7.5 }],
    [6.5, { observations: 5500, hours: 55 }],
    [10, { observations: 9000, hours: 90 }],
  ])('is the least growth that decides the check: %d times the evidence', (least, forecast) => {
    expect(forecastVerdict(decidedAt(least), given).forecast).toEqual(forecast)
  })

  test('needs evidence to grow, be it a single exchange', () => {
    expect(forecastVerdict(decidedAt(2), { ...given, n: 1 }).forecast).toEqual({ observations: 1, hours: 10 })
    expect(forecastVerdict(decidedAt(2), { ...given, n: 0 })).toBe(noBound)
    expect(forecastVerdict(decidedAt(2), { ...given, pace: { ...pace, spannedMs: 0 } })).toBe(noBound)
    expect(forecastCount(1, 2, pace).forecast).toEqual({ observations: 1, hours: 10 })
    expect(forecastCount(0, 2, pace)).toBe(noOutlook)
    expect(forecastCount(1, 2, { ...pace, spannedMs: 0 })).toBe(noOutlook)
    expect(forecastCount(2, 2, pace)).toBe(noOutlook)
  })

  const [bounded, half, none] = [
    { lower: 0.4, upper: 0.6 },
    { lower: null, upper: 0.6 },
    { lower: null, upper: null },
  ]
  test.each([
    ['onLimit', [bounded], null],
    ['allAlike', [bounded, half], null],
    ['allAlike', [half], 'firstDay'],
    ['noBound', [none, bounded], 'others'],
    ['others', [half], 'others'],
    ['firstDay', [bounded], 'firstDay'],
  ] as const)(
    'of a check that no evidence decides is %s with the bounds %j and stuck by %s',
    (because, bounds, stuck) => {
      expect(forecastVerdict(never, { ...given, bounds, stuck })).toMatchObject({
        forecast: null,
        noForecast: { because },
      })
    },
  )
})
