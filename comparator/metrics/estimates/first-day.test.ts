import { describe, expect, test } from 'vitest'
import { evaluateGate } from '../../gate/evaluate.ts'
import type { Contribution } from '../contributions/contribution.ts'
import { evidenceOf } from '../evidence/evidence.ts'
import { exchangesOf } from '../evidence/exchanges.ts'
import { classSharesOverTime } from '../evidence/shares-of-answers.ts'
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
import { totalsOf } from '../views/totals.ts'
import { estimatorOf } from './estimator.ts'

const hour = 3_600_000
const window = { duration: 96 * hour }
const byLabel = policyOf(classification(['a', 'b']), [], window)

/** An answer with a class and its score; every fourth is `rare`. */
const classes = (common: string, rare: string, score: number) => (i: number) => {
  const isA = (i % 4 === 0 ? rare : common) === 'a'
  return answered({ scores: isA ? [score, 1 - score] : [1 - score, score] })
}
const evenly = (i: number) => answered({ scores: i % 2 === 0 ? [0.8, 0.2] : [0.2, 0.8] })

/** 40 exchanges an hour; the primary answers differently after the first day. */
function hoursOf(hours: number, laterPrimary: (i: number) => ReturnType<typeof answered>): Contribution[][] {
  return Array.from({ length: hours * 40 }, (_, i) =>
    contributionsOf(byLabel, observe(i < 24 * 40 ? evenly(i) : laterPrimary(i), evenly(i))),
  )
}

describe('the drift of a side since its first day', () => {
  const range = rangeOf(byLabel, hoursOf(96, classes('b', 'a', 0.6)), 96)

  test('equals a value computed by hand', () => {
    const { primary, candidate } = totalsOf(byLabel, range).outputDrift as any
    // half and half, then a quarter and three quarters
    expect(primary.psi).toBeCloseTo(0.25 * Math.log(2) + 0.25 * Math.log(1.5), 12)
    expect(primary.js).toBeCloseTo(0.048795, 5)
    // top scores of 0.8, then of 0.6
    expect(primary.ks).toBe(1)
    expect(Math.abs(primary.wasserstein - 0.2)).toBeLessThan(0.01 * 0.2 + 0.005)
    expect(candidate).toEqual({ psi: 0, js: 0, ks: 0, wasserstein: 0 })
  })

  test('has a bound, and can decide a gate', () => {
    const judged = (metric: string) => {
      const policy = policyOf(byLabel.output, [{ metric, max: 0.1 }], window)
      return evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: window.duration })
    }
    const drifted = judged('outputDrift.primary.psi')
    expect(drifted.verdict).toBe('fail')
    expect(drifted.checks[0]).toMatchObject({ n: 960, sides: { primary: expect.closeTo(0.2746, 3), candidate: 0 } })
    expect(drifted.checks[0]!.lower).toBeGreaterThan(0.1)
    expect(judged('outputDrift.candidate.psi').verdict).toBe('pass')
  })

  test.each([{ max: 0.05 }, { relativeTo: 'primary', maxDifference: 0 }] as const)(
    'has no bound where the first day had few answers: %j',
    (limit) => {
      const metric = 'outputDrift.candidate.psi'
      const policy = policyOf(byLabel.output, [{ metric, ...limit }], window)
      // two sides that never change; their apparent drift comes from the chance composition of the first 48 answers
      const random = randomFrom(5)
      const evenlyByChance = () => evenly(Math.floor(2 * random()))
      const lot = (count: number) =>
        Array.from({ length: count }, () => contributionsOf(policy, observe(evenlyByChance(), evenlyByChance())))
      const [first, later] = [rangeOf(policy, lot(48), 24), rangeOf(policy, lot(72 * 60), 72)]
      const moved = <Part extends { at: number }>(parts: Part[]) =>
        parts.map((part) => ({ ...part, at: part.at + first.to }))
      const joined = {
        ...first,
        to: first.to + later.to,
        buckets: [...first.buckets, ...moved(later.buckets)],
        groups: [...first.groups, ...moved(later.groups)],
      }
      const judged = { policy, range: joined, exchanges: exchangesOf(joined, []), spannedMs: window.duration }
      expect(evaluateGate(judged).checks[0]).toMatchObject({ n: 48, lower: null, upper: null, verdict: 'inconclusive' })
    },
  )

  test('has no forecast of a decision by more answers than the first day had', () => {
    const policy = policyOf(byLabel.output, [{ metric: 'outputDrift.candidate.psi', max: 0.1 }], window)
    const checkAfter = (hours: number, anHour: number) => {
      const lot = Array.from({ length: hours * anHour }, (_, i) =>
        contributionsOf(policy, observe(evenly(i), evenly(i))),
      )
      const range = rangeOf(policy, lot, hours)
      return evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: hours * hour }).checks[0]!
    }
    const early = checkAfter(72, 12)
    expect(early).toMatchObject({ n: 288, verdict: 'inconclusive', noForecast: { because: 'firstDay' } })
    expect(early.forecast).toBeNull()
    expect(checkAfter(96, 12)).toMatchObject({ n: 288, verdict: 'inconclusive', upper: early.upper })
    // as long as fewer answers came since than on the first day, more of them do help
    const { n, forecast } = checkAfter(30, 40)
    expect(n).toBe(240)
    expect(n + forecast!.observations).toBeLessThan(960)
    expect(checkAfter(48, 40)).toMatchObject({ n: 960, verdict: 'pass' })
  })

  test('is unknown until answers come after that day', () => {
    const driftAt = (hours: number) => {
      const young = rangeOf(byLabel, hoursOf(hours, classes('b', 'a', 0.8)), hours)
      return (totalsOf(byLabel, young).outputDrift as any).primary.psi
    }
    expect([12, 24].map(driftAt)).toEqual([null, null])
    expect(driftAt(25)).toBeCloseTo(0.25 * Math.log(2) + 0.25 * Math.log(1.5), 12)
  })

  test('of values is in bins at the first day’s deciles, for further outputs too', () => {
    const policy = policyOf(regression, [], window)
    const random = randomFrom(4)
    const lot = Array.from({ length: 9600 }, (_, i) => {
      const shift = i < 2400 ? 0 : 1
      const value = 100 + 10 * normalFrom(random)
      return contributionsOf(policy, observe(answered({ value }), answered({ value: value + 10 * shift })))
    })
    const range = rangeOf(policy, lot, 96)
    const { primary, candidate } = totalsOf(policy, range).outputDrift as any
    expect(primary.psi).toBeLessThan(0.03)
    // for two normal distributions one standard deviation apart: 2Φ(½) − 1, and the shift
    expect(candidate.ks).toBeCloseTo(0.383, 1)
    expect(candidate.wasserstein).toBeCloseTo(10, 0)
    expect(candidate.psi).toBeGreaterThan(0.7)
    const { bound } = estimatorOf(policy, range, exchangesOf(range, []))
    expect(bound('outputDrift.primary.psi').upper).toBeLessThan(0.1)
    expect(bound('outputDrift.candidate.ks').lower).toBeGreaterThan(0.3)

    const prefixed = (lot: Contribution[][]) =>
      lot.map((contributions) =>
        contributions.map(
          ({ sums, bins }): Contribution => ({
            sums: [...sums, ...sums.map(([measure, value]): [string, number] => [`outputs.o.${measure}`, value])],
            bins: bins.map(([measure, value]) => [`outputs.o.${measure}`, value]),
          }),
        ),
      )
    const further = { ...policyOf(byLabel.output, [], window), outputs: { o: regression } }
    const again = totalsOf(further, rangeOf(further, prefixed(lot), 96)).outputs as any
    expect(again.o.outputDrift).toMatchObject({ primary: { ks: primary.ks }, candidate: { psi: candidate.psi } })
  })
})

test('undeclared labels have the same name on the first day and after', () => {
  const free = policyOf({ kind: 'classification', label: '/label', topK: 3 }, [], window)
  const answerOf = (label: string) => answered({ label })
  // 90 names on the first day, all kept; then 180, of which 80 are given up
  const lot = Array.from({ length: 9600 }, (_, i) => {
    const answer = answerOf(`name ${i < 2400 ? i % 90 : i % 180}`)
    return contributionsOf(free, observe(answer, answer))
  })
  const { first, later } = evidenceOf(rangeOf(free, lot, 96)).firstDay()!
  const shares = classSharesOverTime(first.sums, later.sums, 'primary')!
  expect(shares.labels.length).toBeLessThanOrEqual(101)
  const others = shares.labels.indexOf('(other)')
  const given = shares.labels.filter((_, i) => i !== others && shares.a[i]! > 0).length
  expect(shares.a[others]).toBeCloseTo((90 - given) / 90, 1)
  expect(shares.a.reduce((a, b) => a + b)).toBeCloseTo(1, 12)
  expect(shares.b.reduce((a, b) => a + b)).toBeCloseTo(1, 12)
})
