import { describe, expect, test } from 'vitest'
import { estimatorOf } from './estimate.ts'
import { exchangesOf } from './exchanges.ts'
import {
  answered,
  classification,
  contributionsOf,
  observe,
  policyOf,
  randomFrom,
  rangeOf,
  regression,
  type Truth,
} from './rollups.fixture.ts'

const labels = ['a', 'b', 'c']

/** Exchanges in which each side is right this often, and the truth is always a. */
function estimatorWith(count: number, primary: number, candidate: number, seed = 3) {
  const policy = policyOf(classification(labels))
  const random = randomFrom(seed)
  const scores = (right: number) => (random() < right ? [1, 0, 0] : [0, 1, 0])
  const contributions = Array.from({ length: count }, () =>
    contributionsOf(policy, observe(answered({ scores: scores(primary) }), answered({ scores: scores(candidate) })), {
      label: 'a',
    }),
  )
  const range = rangeOf(policy, contributions)
  return estimatorOf(policy, range, exchangesOf(range, []))
}

describe('against the truth', () => {
  test('the share of the decided disagreements that the candidate won is what it says', () => {
    const { bound } = estimatorWith(6000, 0.9, 0.9)
    const won = bound('accuracy.won')
    // 2 · 0.9 · 0.1 of the exchanges are decided, evenly.
    expect(won.n).toBeGreaterThan(900)
    expect(won.n).toBeLessThan(1200)
    expect(won.lower!).toBeLessThan(0.5)
    expect(won.upper!).toBeGreaterThan(0.5)
    const drift = bound('accuracy.drift')
    expect(((2 * won.estimate! - 1) * won.n) / drift.n).toBeCloseTo(drift.estimate!, 12)
  })

  test('a candidate that wins far more, or far less, is seen in it', () => {
    expect(estimatorWith(6000, 0.8, 0.95).bound('accuracy.won').lower!).toBeGreaterThan(0.7)
    expect(estimatorWith(6000, 0.95, 0.8).bound('accuracy.won').upper!).toBeLessThan(0.3)
  })

  test('winning every one of a few is not certainty', () => {
    const { estimate, lower, upper, n } = estimatorWith(2000, 0.99, 1).bound('accuracy.won')
    expect(estimate).toBe(1)
    expect(n).toBeLessThan(40)
    expect(upper).toBe(1)
    expect(lower).toBeLessThan(0.9)
  })

  test('where no side was ever right alone, there is nothing to win', () => {
    expect(estimatorWith(1000, 1, 1).bound('accuracy.won')).toEqual({ estimate: null, lower: null, upper: null, n: 0 })
  })

  test('a candidate that gave no answer was wrong', () => {
    const policy = policyOf(classification(labels))
    const observations = Array.from({ length: 480 }, (_, i) =>
      contributionsOf(
        policy,
        observe(
          answered({ scores: [1, 0, 0] }),
          i % 4 ? answered({ scores: [1, 0, 0] }) : { kind: 'timedOut', totalMs: 9 },
        ),
        { label: 'a' },
      ),
    )
    const range = rangeOf(policy, observations)
    const { estimate } = estimatorOf(policy, range, exchangesOf(range, []))
    expect(estimate('accuracy.candidate')).toEqual({ estimate: 0.75, n: 480 })
    expect(estimate('accuracy.drift')).toEqual({ estimate: -0.25, n: 480 })
    expect(estimate('accuracy.won')).toEqual({ estimate: 0, n: 120 })
  })

  test('errors of both sides are of the same exchanges, and their drift is their difference', () => {
    const policy = policyOf(regression)
    const random = randomFrom(9)
    const contributions = Array.from({ length: 960 }, () => {
      const truth: Truth = { value: random() }
      const near = (spread: number) => answered({ value: (truth.value as number) + spread * (random() - 0.5) })
      return contributionsOf(policy, observe(near(0.1), near(0.4)), truth)
    })
    const range = rangeOf(policy, contributions)
    const { bound } = estimatorOf(policy, range, exchangesOf(range, []))
    const [primary, candidate, drift] = ['mae.primary', 'mae.candidate', 'mae.drift'].map(bound)
    expect(drift!.estimate!).toBeCloseTo(candidate!.estimate! - primary!.estimate!, 12)
    expect(primary!.estimate!).toBeCloseTo(0.025, 2)
    expect(candidate!.estimate!).toBeCloseTo(0.1, 2)
    expect(drift!.lower!).toBeGreaterThan(0)
  })
})

describe('a latency', () => {
  const policy = policyOf(regression)
  const estimate = (outcomes: Parameters<typeof observe>[1][]) => {
    const contributions = outcomes.map((outcome) =>
      contributionsOf(policy, observe(answered({ value: 1 }, 10), outcome)),
    )
    const range = rangeOf(policy, contributions)
    return estimatorOf(policy, range, exchangesOf(range, [])).estimate
  }

  test('leaves time in our own queue apart', () => {
    const of = estimate(Array.from({ length: 96 }, () => ({ ...answered({ value: 1 }, 20), queuedMs: 500 })))
    expect(of('latency.candidate.mean').estimate).toBe(20)
    expect(of('latency.delta.mean').estimate).toBe(10)
  })

  test('counts a time-out as at least its time, and a quick failure not at all', () => {
    const of = estimate(
      Array.from({ length: 96 }, (_, i) =>
        i % 2 ? { kind: 'timedOut', totalMs: 1000 } : { kind: 'refused', totalMs: 0.1 },
      ),
    )
    expect(of('latency.candidate.mean')).toEqual({ estimate: 1000, n: 48 })
    expect(of('errorRate.candidate').estimate).toBe(1)
  })

  test('of what our limits shed says nothing of the candidate, which is not blamed for it either', () => {
    const of = estimate(
      Array.from({ length: 96 }, (_, i) => (i % 2 ? { kind: 'shed', totalMs: 0 } : answered({ value: 1 }, 5))),
    )
    expect(of('latency.candidate.mean')).toEqual({ estimate: 5, n: 48 })
    expect(of('errorRate.candidate')).toEqual({ estimate: 0, n: 48 })
    expect(of('coverage').estimate).toBe(0.5)
  })
})
