import { describe, expect, test } from 'vitest'
import { hourMs } from '../../vocabulary/units.ts'
import { estimatorOf } from '../metrics/estimates/estimator.ts'
import { boundOfMean } from '../metrics/estimates/mean-bound.ts'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import { hoursOf } from '../metrics/month.fixture.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { normalFrom, randomFrom } from '../metrics/rollups.fixture.ts'
import { agreement, dailyHours, type Hour, month, rangeOf, since } from './hours.fixture.ts'
import { judgeMetric } from './judge-metric.ts'
import { judgeRecent, recentOf } from './judge-recent.ts'

/** Seeds fixed; docs/STATISTICS.md has the figures of SIMULATIONS=150. */
const simulations = Number(process.env.SIMULATIONS ?? 3)

describe('by the newest evidence, in simulation,', { timeout: Math.max(60_000, simulations * 2_000) }, () => {
  const told = (rates: unknown) => process.env.SIMULATIONS && console.log(JSON.stringify(rates))

  /** Whether the window of the month up to this hour passes, and whether its newest evidence holds it. */
  function judged({ buckets, ...rest }: RollupRange, end: number) {
    const month_ = buckets.slice(end - month, end)
    const range = { ...rest, from: month_[0]!.at, to: month_.at(-1)!.at + hourMs, buckets: month_, groups: [] }
    const input = { policy: agreement, range, exchanges: exchangesOf(range, []) }
    const estimator = estimatorOf(agreement, range, input.exchanges)
    const [check] = agreement.gate
    const pace = { spannedMs: month * hourMs, durationMs: month * hourMs }
    const whole = judgeMetric(check!, agreement, estimator, pace)
    const { verdict } = judgeRecent(whole, check!, estimator, recentOf(input, range.to)).result
    return { passes: whole.result.verdict === 'pass', isHeld: verdict !== whole.result.verdict }
  }

  /** Looked at once a day in the month after the first. */
  function falselyHeld(hoursOfTwo: () => Hour[]) {
    let [looks, held, months] = [0, 0, 0]
    for (let run = 0; run < simulations; run++) {
      const range = rangeOf(agreement, hoursOfTwo())
      let any = false
      for (let end = month; end <= range.buckets.length; end += 24 + (end % 5)) {
        const { passes, isHeld } = judged(range, end)
        looks += Number(passes)
        held += Number(isHeld)
        any ||= isHeld
      }
      months += Number(any)
    }
    const rates = { looks: held / Math.max(1, looks), passing: looks, months: months / simulations }
    told(rates)
    return rates
  }

  test('a healthy candidate with daily cycles is not held', () => {
    const random = randomFrom(3)
    const { months, passing } = falselyHeld(() => dailyHours(random, { hours: 2 * month }))
    expect(months).toBe(0)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test.each([0, 0.5])('a healthy candidate with hours that correlate by %d is not held', (correlation) => {
    const random = randomFrom(4)
    const spells = { support: 'share', mean: 0.994, spread: 0.4, correlation, quietest: 20, hours: 2 * month } as const
    const hours = () => hoursOf(spells, random).map(({ n, sum }) => ({ n, agreement: sum / n }))
    const { months, passing } = falselyHeld(hours)
    expect(months).toBeLessThanOrEqual(0.05)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test('a candidate just inside the limit is held falsely in few looks', () => {
    const random = randomFrom(5)
    const { looks, passing } = falselyHeld(() => dailyHours(random, { hours: 2 * month, mean: 0.9915 }))
    expect(looks).toBeLessThanOrEqual(0.01)
    expect(passing).toBeGreaterThan(20 * simulations)
  })

  test.each([
    [24, 0.05],
    [8, 0.1],
  ])('a mean of %d strongly correlated hours is held falsely in few looks', (hours, most) => {
    const random = randomFrom(8)
    const [correlation, spread, room, looks] = [0.8, 0.1, 1.02, 100 * simulations]
    let held = 0
    for (let run = 0; run < looks; run++) {
      let state = normalFrom(random)
      const sums = Array.from({ length: hours }, () => {
        state = correlation * state + Math.sqrt(1 - correlation ** 2) * normalFrom(random)
        const mean = Math.exp(spread * state - spread ** 2 / 2)
        return { n: 140, sum: 140 * mean, sumSq: 140 * mean * mean * 1.3, min: 0, max: 9 }
      })
      held += Number((boundOfMean(sums, 'nonNegative', { alpha: 0.05, planned: hours })?.lower ?? 0) > room)
    }
    told([hours, held / looks])
    expect(held / looks).toBeLessThanOrEqual(most)
  })

  test('a candidate that broke is held within a day', () => {
    const random = randomFrom(6)
    const shareHeld = (last: number, to: number) => {
      const kept = { passes: 0, isHeld: 0 }
      for (let run = 0; run < simulations; run++) {
        const { passes, isHeld } = judged(rangeOf(agreement, since(dailyHours(random), last, { agreement: to })), month)
        kept.passes += Number(passes && !isHeld) / simulations
        kept.isHeld += Number(isHeld) / simulations
      }
      return kept
    }
    const hours = process.env.SIMULATIONS ? [6, 12, 18, 24, 48] : [24]
    const found = [0.98, 0.975, 0.95].map((to) => [to, ...hours.map((last) => shareHeld(last, to))] as const)
    told(found)
    const atDay = hours.indexOf(24)
    for (const [to, ...held] of found) {
      const { passes, isHeld } = held[atDay]!
      expect(passes).toBe(0)
      // after such a fall the window itself no longer passes
      if (to > 0.95) expect(isHeld).toBeGreaterThan(0.9)
    }
  })
})
