import { describe, expect, test } from 'vitest'
import { clusteredMean } from '../../statistics/clustered-mean.ts'
import { confidenceSequenceRadius } from '../../statistics/confidence-sequence.ts'
import type { Sum } from '../../statistics/sums.ts'
import type { Support } from '../catalogue/metric.ts'
import { hoursOf } from '../month.fixture.ts'
import { randomFrom } from '../rollups.fixture.ts'
import { boundOfMean } from './mean-bound.ts'

/**
 * Simulates months with fixed seeds: hourly traffic that varies 20:1 over the day, with errors that come in spells.
 * `SIMULATIONS=500 vitest run comparator/metrics/estimates/looking-daily.test.ts -t 'table|power'` prints the table of
 * docs/STATISTICS.md.
 */
const simulations = Number(process.env.SIMULATIONS ?? 200)
const alpha = 0.05
const month = 720
const confidently = 120_000 + simulations * 500

/** Measures that gates limit: the range of values, the true mean, the spread of bad spells. */
const measures: { what: string; support: Support; mean: number; spread: number }[] = [
  { what: 'a difference of latencies', support: 'real', mean: 0, spread: 0.3 },
  { what: 'an absolute error', support: 'nonNegative', mean: 0.05, spread: 0.5 },
  { what: 'the share over a limit on the 99th percentile', support: 'share', mean: 0.01, spread: 0.5 },
  { what: 'agreement near 1', support: 'share', mean: 0.99, spread: 0.5 },
  { what: 'accuracy', support: 'share', mean: 0.9, spread: 0.3 },
  { what: 'accuracy’s drift', support: 'paired', mean: -0.005, spread: 0.5 },
]
interface Limit {
  min?: number
  max?: number
}
type Measure = Pick<(typeof measures)[number], 'support' | 'mean' | 'spread'>

/** Shares of months in which some look falsely finds the true mean above the bound, or below it. */
function falselyDecided(
  { support, mean, spread }: Measure,
  { correlation, from, to, seed }: { correlation: number; from: number; to: number; seed: number },
  boundOf = (hours: Sum[]) => boundOfMean(hours, support, { alpha, planned: month }),
) {
  const random = randomFrom(seed)
  let above = 0
  let below = 0
  for (let run = 0; run < simulations; run++) {
    const hours = hoursOf({ support, mean, spread, correlation, quietest: 20, hours: to }, random)
    let wasAbove = false
    let wasBelow = false
    for (let now = from; now <= to; now += 24) {
      const bound = boundOf(hours.slice(Math.max(0, now - month), now))
      wasAbove ||= bound !== null && bound.upper < mean
      wasBelow ||= bound !== null && bound.lower > mean
    }
    if (wasAbove) above++
    if (wasBelow) below++
  }
  return Math.max(above, below) / simulations
}

describe.each(measures)('$what, at its limit', (measure) => {
  test.each([0, 0.5, 0.8])(
    'is decided falsely no more often than α by looking every day of a month with hours that correlate by %d',
    { timeout: confidently },
    (correlation) => {
      const rate = falselyDecided(measure, { correlation, from: 24, to: month, seed: 11 })
      expect(rate).toBeLessThanOrEqual(alpha)
    },
  )

  test('is decided falsely no more often than α by looking every day of a second month at a correlation of 0.9', {
    timeout: confidently,
  }, () => {
    const rate = falselyDecided(measure, { correlation: 0.9, from: month, to: 2 * month, seed: 12 })
    expect(rate).toBeLessThanOrEqual(alpha)
  })
})

/** The cluster-robust bound alone, as if hours were independent. */
function plainBound(hours: Sum[]) {
  const { mean, standardError } = clusteredMean(hours)!
  const radius = confidenceSequenceRadius(hours.length, standardError * Math.sqrt(hours.length), alpha, month)
  return { lower: mean - radius, upper: mean + radius }
}

test('taking hours as independent would decide falsely far more often', { timeout: confidently }, () => {
  const rate = falselyDecided(measures[4]!, { correlation: 0.8, from: 24, to: month, seed: 11 }, plainBound)
  expect(rate).toBeGreaterThan(5 * alpha)
})

test.runIf(process.env.SIMULATIONS)('the table of docs/STATISTICS.md', { timeout: 20 * confidently }, () => {
  const worst = (of: Parameters<typeof falselyDecided>[1], boundOf?: typeof plainBound) =>
    Math.max(...measures.map((measure) => falselyDecided(measure, of, boundOf)))
  for (const correlation of [0, 0.5, 0.8, 0.9, 0.95]) {
    const firstMonth = { correlation, from: 24, to: month, seed: 11 }
    const monthAfter = { correlation, from: month, to: 2 * month, seed: 12 }
    const rates = [worst(firstMonth), worst(monthAfter), worst(firstMonth, plainBound)]
    console.log(`correlation ${correlation}: first month, month after, hours as independent: ${rates.join(', ')}`)
  }
})

describe('power: a full month with the given distance between limit and true mean is decided', () => {
  test.each([
    { what: 'errors of 0.5 %, limit 1 %', support: 'share', mean: 0.005, spread: 0.5, max: 0.01 },
    { what: 'agreement of 99.4 %, limit 99 %', support: 'share', mean: 0.994, spread: 0.5, min: 0.99 },
    { what: 'an error of 0.035, limit 0.05', support: 'nonNegative', mean: 0.035, spread: 0.5, max: 0.05 },
    { what: 'a drift of 0, limit −1 %', support: 'paired', mean: 0, spread: 0.5, min: -0.01 },
  ] as (Measure & Limit & { what: string })[])('$what', { timeout: confidently }, (given) => {
    const { support, mean, spread, min, max } = given
    const passesAt = (correlation: number) => {
      const random = randomFrom(13)
      let passed = 0
      for (let run = 0; run < simulations; run++) {
        const hours = hoursOf({ support, mean, spread, correlation, quietest: 20, hours: month }, random)
        const bound = boundOfMean(hours, support, { alpha, planned: month })!
        if (max === undefined ? bound.lower >= min! : bound.upper <= max) passed++
      }
      return passed / simulations
    }
    const powers = [0, 0.5, 0.8].map(passesAt)
    if (process.env.SIMULATIONS)
      console.log(`${support} ${mean}: power ${powers.join(', ')} at correlations 0, 0.5, 0.8`)
    expect(powers[0]).toBeGreaterThanOrEqual(0.95)
    expect(powers[1]).toBeGreaterThanOrEqual(0.9)
  })
})
