import { describe, expect, test } from 'vitest'
import type { Observation } from '../../vocabulary/observation.ts'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import {
  answered,
  classification,
  normalFrom,
  observe,
  policyOf,
  randomFrom,
  regression,
} from '../metrics/rollups.fixture.ts'
import { evaluateGate } from './evaluate.ts'
import { agreeing, inputOf } from './gate-input.fixture.ts'

type Check = Omit<GateCheck, 'reportOnly'>

function judged(policy: Policy, observations: Observation[], noise?: Observation[]) {
  const gate = evaluateGate({ ...inputOf(policy, observations), noiseFloor: noise && inputOf(policy, noise) })
  return { gate, check: gate.checks[0]! }
}

/** Correlated latencies: an exchange under load is slow on both sides. */
function latencies(count: number, ratio: number): Observation[] {
  const random = randomFrom(5)
  return Array.from({ length: count }, (_, i) => {
    const busy = 1 + (Math.floor(i / 500) % 2)
    const ms = () => 10 * busy * Math.exp(0.2 * normalFrom(random))
    return observe(answered({ value: 1 }, ms()), answered({ value: 1 }, ratio * ms()))
  })
}

/** A share of each side's answers are errors. */
function failing(count: number, primary: number, candidate: number): Observation[] {
  const random = randomFrom(6)
  const answer = (share: number) => (random() < share ? answered('', 1, 500) : answered({ value: 1 }, 1))
  return Array.from({ length: count }, () => observe(answer(primary), answer(candidate)))
}

/** A thousand labels that no mapping declares; a share of the candidate's are drawn again. */
function labelled(count: number, redrawn: number, seed: number): Observation[] {
  const random = randomFrom(seed)
  const draw = () => `label ${Math.floor(1000 * random())}`
  return Array.from({ length: count }, () => {
    const label = draw()
    return observe(answered({ l: label }), answered({ l: random() < redrawn ? draw() : label }))
  })
}
const free = { kind: 'classification', label: '/l', topK: 1 } as const

describe('a check of labels that are not all counted separately', () => {
  test.each([
    { metric: 'outputDrift.psi', relativeTo: 'noiseFloor', maxDifference: 0.05 },
    { metric: 'kappa', relativeTo: 'noiseFloor', minDifference: -0.05 },
    { metric: 'outputDrift.candidate.psi', relativeTo: 'primary', maxDifference: 0.05 },
  ] as const)('says so: %o', (check) => {
    const policy = policyOf(free, [check])
    const found = judged(policy, labelled(10_000, 0.02, 1), labelled(10_000, 0.01, 2)).check
    expect(found).toMatchObject({ verdict: 'inconclusive', noForecast: { because: 'others' } })
  })
})

describe('a check relative to the primary', () => {
  test.each([
    ['latency.candidate.mean', { maxRatio: 0.8 }, 'pass'],
    ['latency.candidate.mean', { maxRatio: 0.4 }, 'fail'],
    ['latency.candidate.mean', { maxDifference: -2 }, 'pass'],
    ['latency.candidate.mean', { minDifference: 0 }, 'fail'],
    ['latency.candidate.p95', { maxRatio: 0.8 }, 'pass'],
    ['latency.candidate.p95', { maxRatio: 0.4 }, 'fail'],
    ['latency.candidate.p95', { minRatio: 0.3, maxRatio: 0.8 }, 'pass'],
  ] as [string, Partial<Check>, string][])('%s, %j: %s', (metric, limit, verdict) => {
    const policy = policyOf(regression, [{ metric, relativeTo: 'primary', ...limit } as Check])
    const { check } = judged(policy, latencies(6000, 0.6))
    expect(check.verdict).toBe(verdict)
    expect(check.lower!).toBeLessThan(check.estimate!)
    expect(check.upper!).toBeGreaterThan(check.estimate!)
    expect(check.relative).toEqual({ to: 'primary', by: 'maxRatio' in limit ? 'ratio' : 'difference' })
  })

  test.each([
    ['ratio', { relativeTo: 'primary', maxRatio: 3 }],
    ['difference', { relativeTo: 'primary', maxDifference: 20 }],
    ['plain limit', { max: 60 }],
  ] as [string, Partial<Check>][])('the %s of a p99 is undecided on too few exchanges', (_, limit) => {
    const policy = policyOf(regression, [{ metric: 'latency.candidate.p99', ...limit } as Check])
    const few = judged(policy, latencies(500, 0.6)).check
    expect(few).toMatchObject({ verdict: 'inconclusive', upper: null })
    expect(few.text).toContain('pass would take 2.7 d')
    expect(judged(policy, latencies(900, 0.6)).check).toMatchObject({ verdict: 'pass', upper: expect.any(Number) })
  })

  test('uses the correlation of both sides: its bound is far narrower than either side’s own', () => {
    const policy = policyOf(regression, [{ metric: 'latency.candidate.mean', relativeTo: 'primary', maxRatio: 1 }])
    const { check } = judged(policy, latencies(6000, 0.6))
    const own = judged(policyOf(regression, [{ metric: 'latency.candidate.mean', max: 1e3 }]), latencies(6000, 0.6))
    const relativeWidth = (check.upper! - check.lower!) / check.estimate!
    const ownWidth = (own.check.upper! - own.check.lower!) / own.check.estimate!
    expect(relativeWidth).toBeLessThan(ownWidth / 2)
  })

  test('of errors does not pass where neither side ever had any', () => {
    const check = { metric: 'errorRate.candidate', relativeTo: 'primary', maxRatio: 2 } as const
    const none = judged(policyOf(regression, [check]), failing(5000, 0, 0))
    expect(none.check).toMatchObject({ verdict: 'inconclusive', estimate: null })
    expect(none.gate.verdict).toBe('inconclusive')
    expect(judged(policyOf(regression, [check]), failing(5000, 0.05, 0.05)).check.verdict).toBe('pass')
    expect(judged(policyOf(regression, [check]), failing(5000, 0.02, 0.2)).check.verdict).toBe('fail')
    const few = judged(policyOf(regression, [check]), failing(3000, 0.002, 0.002)).check
    expect(few.verdict).toBe('inconclusive')
  })

  test('of a share relates two bounds that hold whatever the sample size, as each alone would be', () => {
    const observations = failing(5000, 0.05, 0.05)
    const relation = policyOf(regression, [
      { metric: 'errorRate.candidate', relativeTo: 'primary', maxDifference: 0.1 },
    ])
    const boundOf = (metric: string) =>
      judged({ ...policyOf(regression, [{ metric, max: 0.1 }]), confidence: 0.975 }, observations).check
    const [own, reference] = [boundOf('errorRate.candidate'), boundOf('errorRate.primary')]
    const { check } = judged(relation, observations)
    expect(check.lower).toBeCloseTo(own.lower! - reference.upper!, 9)
    expect(check.upper).toBeCloseTo(own.upper! - reference.lower!, 9)
  })

  test('of times that never vary is no more certain than the times themselves', () => {
    const constant = Array.from({ length: 40 }, () => observe(answered({ value: 1 }, 10), answered({ value: 1 }, 6)))
    const policy = policyOf(regression, [{ metric: 'latency.candidate.mean', relativeTo: 'primary', maxRatio: 0.61 }])
    expect(judged(policy, constant).check.verdict).toBe('inconclusive')
  })

  test('shows both values, their relation and its bound', () => {
    const policy = policyOf(regression, [{ metric: 'latency.candidate.mean', relativeTo: 'primary', maxRatio: 0.8 }])
    expect(judged(policy, latencies(6000, 0.6)).check.text).toMatch(
      /^latency\.candidate\.mean [\d.]+ ms, the primary’s [\d.]+ ms: ratio 0\.[56]\d*, 95 % bound 0\.5\d*–0\.6\d* over 6,000 exchanges; limit ≤ 0\.8: the whole bound is inside → pass$/,
    )
  })
})

describe('a check relative to the noise floor', () => {
  const policyWith = (check: Partial<Check>) =>
    policyOf(classification(['a', 'b', 'c']), [{ metric: 'agreement', relativeTo: 'noiseFloor', ...check } as Check])

  test.each([
    ['passes where the candidate disagrees as little as the primary with itself', 0.98, 0.98, 'pass'],
    ['fails where it disagrees far more', 0.8, 0.99, 'fail'],
    ['is undecided at its limit', 0.96, 0.98, 'inconclusive'],
  ])('%s', (_, own, floor, verdict) => {
    const { gate, check } = judged(
      policyWith({ minDifference: -0.02 }),
      agreeing(6000, own, 1),
      agreeing(6000, floor, 2),
    )
    expect(check.verdict).toBe(verdict)
    expect(gate.verdict).toBe(verdict)
    expect(check.text).toContain('the noise floor’s')
  })

  test('includes the uncertainty of both sides in its bound', () => {
    const policy = policyWith({ minDifference: -0.02 })
    const widthWith = (noise: number) => {
      const { upper, lower } = judged(policy, agreeing(6000, 0.98, 1), agreeing(noise, 0.98, 2)).check
      return upper! - lower!
    }
    expect(widthWith(300)).toBeGreaterThan(2 * widthWith(6000))
  })

  test('relates two bounds that are each so certain that both hold as often as the confidence says', () => {
    const [own, noise] = [agreeing(6000, 0.97, 1), agreeing(3000, 0.98, 2)]
    const { check } = judged(policyWith({ minDifference: -0.02 }), own, noise)
    const alone = policyOf(classification(['a', 'b', 'c']), [{ metric: 'agreement', min: 0.5 }])
    const boundOf = (observations: Observation[]) => judged({ ...alone, confidence: 0.975 }, observations).check
    const [candidate, floor] = [boundOf(own), boundOf(noise)]
    expect(check.lower).toBeCloseTo(candidate.lower! - floor.upper!, 9)
    expect(check.upper).toBeCloseTo(candidate.upper! - floor.lower!, 9)
    expect(check.n).toBe(3000)
  })

  test('is inconclusive without a noise floor, whatever the candidate does', () => {
    for (const noise of [undefined, []]) {
      const { gate, check } = judged(policyWith({ minDifference: -1 }), agreeing(6000, 1, 1), noise)
      expect(check).toMatchObject({ verdict: 'inconclusive', estimate: null, n: 0, forecast: null })
      expect(gate.verdict).toBe('inconclusive')
      expect(gate.reason).toBe('agreement has nothing to compare with yet: the noise floor’s is unknown.')
    }
  })

  test('does not count where it is report only', () => {
    const policy = policyWith({ minDifference: 0.5 })
    policy.gate[0]!.reportOnly = true
    policy.gate.push({ metric: 'agreement', min: 0.9, reportOnly: false })
    const { gate, check } = judged(policy, agreeing(6000, 0.98, 1), agreeing(6000, 0.98, 2))
    expect(check).toMatchObject({ verdict: 'fail', reportOnly: true })
    expect(gate.verdict).toBe('pass')
  })
})
