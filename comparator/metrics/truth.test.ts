import { describe, expect, test } from 'vitest'
import { briefAnswer, rowLabelsOf } from '../compare/answer.ts'
import { contributionOfLabel, rowsOf, type Truth } from './contributions/label-contribution.ts'
import { estimatorOf } from './estimates/estimator.ts'
import { exchangesOf } from './evidence/exchanges.ts'
import {
  answered,
  classification,
  contributionsOf,
  observe,
  policyOf,
  randomFrom,
  rangeOf,
  regression,
} from './rollups.fixture.ts'
import { totalsOf } from './views/totals.ts'

const labels = ['a', 'b', 'c']

/** Exchanges in which each side is right this often; the truth is always a. */
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
  test('accuracy.won is the candidate’s share of the disagreements in which one side is right', () => {
    const { bound } = estimatorWith(6000, 0.9, 0.9)
    const won = bound('accuracy.won')
    // one side alone is right in 2 · 0.9 · 0.1 of the exchanges, equally often
    expect(won.n).toBeGreaterThan(900)
    expect(won.n).toBeLessThan(1200)
    expect(won.lower!).toBeLessThan(0.5)
    expect(won.upper!).toBeGreaterThan(0.5)
    const drift = bound('accuracy.drift')
    expect(((2 * won.estimate! - 1) * won.n) / drift.n).toBeCloseTo(drift.estimate!, 12)
  })

  test('accuracy.won shows a candidate that wins far more or far less', () => {
    expect(estimatorWith(6000, 0.8, 0.95).bound('accuracy.won').lower!).toBeGreaterThan(0.7)
    expect(estimatorWith(6000, 0.95, 0.8).bound('accuracy.won').upper!).toBeLessThan(0.3)
  })

  test('winning all of a few is not certainty', () => {
    const { estimate, lower, upper, n } = estimatorWith(2000, 0.99, 1).bound('accuracy.won')
    expect(estimate).toBe(1)
    expect(n).toBeLessThan(40)
    expect(upper).toBe(1)
    expect(lower).toBeLessThan(0.9)
  })

  test('accuracy.won is unknown where no side was ever right alone', () => {
    expect(estimatorWith(1000, 1, 1).bound('accuracy.won')).toEqual({ estimate: null, lower: null, upper: null, n: 0 })
  })

  test('a candidate without an answer counts as wrong', () => {
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

  test('errors of both sides are from the same exchanges, and drift is their difference', () => {
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

describe('against the truth of several rows', () => {
  const policy = policyOf({ kind: 'classification', label: '/*', topK: 1 })
  const estimatorFor = (exchanges: [primary: string[], candidate: string[] | null, truth: Truth['label']][]) => {
    const contributions = exchanges.map(([primary, candidate, label]) => {
      const outcome = candidate === null ? ({ kind: 'timedOut', totalMs: 9 } as const) : answered(candidate)
      return contributionsOf(policy, observe(answered(primary), outcome), { label: label! })
    })
    const range = rangeOf(policy, contributions)
    return { ...estimatorOf(policy, range, exchangesOf(range, [])), totals: totalsOf(policy, range) }
  }
  const each = <Item>(count: number, of: (i: number) => Item) => Array.from({ length: count }, (_, i) => of(i))

  test('an exchange counts once: the mean over those of its rows whose truth is known', () => {
    const { estimate, totals } = estimatorFor([
      [
        ['a', 'b', 'a', 'b'],
        ['a', 'b', 'b', 'a'],
        ['a', 'b', 'b', null],
      ],
      [['a', 'a'], null, ['a', 'b']],
      [['b'], ['b'], ['a']],
    ])
    expect(estimate('accuracy.primary')).toEqual({ estimate: (2 / 3 + 1 / 2 + 0) / 3, n: 3 })
    expect(estimate('accuracy.candidate').estimate).toBeCloseTo((1 + 0 + 0) / 3, 12)
    expect(estimate('accuracy.drift').estimate).toBeCloseTo((1 / 3 - 1 / 2) / 3, 12)
    // only the candidate was right in a third of the rows of one exchange, only the primary in half of another's
    expect(estimate('accuracy.won').estimate).toBeCloseTo(1 / 3 / (1 / 3 + 1 / 2), 12)
    expect(totals).toMatchObject({ labelled: 3, labelCoverage: expect.closeTo((3 / 4 + 1 + 1) / 3, 12) })
  })

  test('rows that are all alike count as much as one of them', () => {
    const random = randomFrom(5)
    const drawn = each(600, () => each(2, () => (random() < 0.95 ? 'a' : 'b')))
    const of = (rows: number) =>
      estimatorFor(drawn.map(([p, c]) => [Array(rows).fill(p), Array(rows).fill(c), Array(rows).fill('a')]))
    const [one, many] = [of(1), of(32)]
    for (const name of ['accuracy.primary', 'accuracy.candidate', 'accuracy.drift', 'accuracy.won']) {
      expect(many.bound(name), name).toEqual(one.bound(name))
    }
    expect(many.totals.accuracy).toEqual(one.totals.accuracy)
  })

  test('a drift of single rows is bounded by wins and losses, even where they cancel out', () => {
    const even = estimatorFor(
      each(480, () => [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'a'],
      ]),
    )
    const { estimate, lower, upper } = even.bound('accuracy.drift')
    expect([estimate, even.estimate('accuracy.won').estimate]).toEqual([0, 0.5])
    // half of all rows are won and half are lost, which is wider than if there were none of either
    expect(lower!).toBeLessThan(-0.1)
    expect(upper!).toBeGreaterThan(0.1)
    expect(even.totals.accuracy).toMatchObject({ mcnemarP: 1 })
  })

  test('a label with another number of rows is only counted as a misfit', () => {
    const { totals } = estimatorFor([
      [['a', 'b'], ['a', 'b'], ['a']],
      [
        ['a', 'b'],
        ['a', 'b'],
        ['a', 'b'],
      ],
    ])
    expect(totals).toMatchObject({ labelled: 1, misfitLabels: 1, labelCoverage: 0.5 })
  })

  test('is unknown for rows that were kept before they could have labels', () => {
    const answers = { primary: briefAnswer('2 rows: 1 a, 1 b'), candidate: null }
    expect(contributionOfLabel(answers, { label: ['a', 'b'] }).sums).toEqual([])
  })

  test('may be numbers, some of them unknown; an unusable one is counted as a misfit', () => {
    const numbers = policyOf(regression)
    const exchange = (value: Truth['value']) =>
      contributionsOf(numbers, observe(answered({ value: [1, 2, 3] }), answered({ value: [1, 2, 5] })), { value })
    const range = rangeOf(numbers, [
      exchange([2, null, 4]),
      exchange([1, 2, 3]),
      exchange([1, 2]),
      exchange([1, 2, 1e80]),
    ])
    expect(totalsOf(numbers, range)).toMatchObject({
      maeTruth: { primary: 0.5, candidate: (1 + 2 / 3) / 2 },
      labelled: 2,
      misfitLabels: 2,
      labelCoverage: expect.closeTo((2 / 3 + 1) / 4, 12),
    })
  })
})

test('a failed candidate, or a label of another kind, adds no error against the truth', () => {
  const primary = { kind: 'value' as const, value: 1 }
  expect(contributionOfLabel({ primary, candidate: null }, { value: 2 }).sums).toEqual([])
  expect(contributionOfLabel({ primary, candidate: primary }, { label: '2' }).sums).toEqual([])
})

test('a number is the truth of labels that are numbers; a list of them is none of a single label', () => {
  const [primary, candidate] = ['3', '4'].map((label) => ({
    kind: 'class' as const,
    label,
    scores: null,
    labels: null,
  }))
  const rightsOf = (truth: Truth) => contributionOfLabel({ primary: primary!, candidate: candidate! }, truth).sums
  expect(rightsOf({ value: 3 })).toEqual(rightsOf({ label: '3' }))
  expect(rightsOf({ value: 3 })).toContainEqual(['accuracy.primary', 1])
  expect(rightsOf({ value: 4 })).toContainEqual(['accuracy.candidate', 1])
  expect(rightsOf({ value: [3] })).toEqual([])
})

test('an answer has as many truths as rows, or none where it keeps neither labels nor values', () => {
  const rows = { ...briefAnswer('2 rows: 1 a, 1 b'), rowLabels: rowLabelsOf(['b', 'a']) }
  expect(rowsOf(rows)).toBe(2)
  expect(rowsOf({ kind: 'class', label: 'a', scores: null, labels: null })).toBe(1)
  expect(rowsOf({ kind: 'value', value: 7 })).toBe(1)
  expect(rowsOf({ kind: 'value', value: [7, 8, 9] })).toBe(3)
  expect(rowsOf(briefAnswer('a text of 3 characters'))).toBeNull()
  expect(rowsOf(undefined)).toBeNull()
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

  test('does not include time in our own queue', () => {
    const of = estimate(Array.from({ length: 96 }, () => ({ ...answered({ value: 1 }, 20), queuedMs: 500 })))
    expect(of('latency.candidate.mean').estimate).toBe(20)
    expect(of('latency.delta.mean').estimate).toBe(10)
    expect(of('latency.queue.mean')).toEqual({ estimate: 500, n: 96 })
  })

  test('of the queue is the primary’s where that gets the copies', () => {
    const shadowed = observe({ ...answered({ value: 1 }), queuedMs: 30 }, answered({ value: 1 }))
    const range = rangeOf(policy, [contributionsOf(policy, shadowed)])
    expect(totalsOf(policy, range).latency).toMatchObject({ queue: { mean: 30 } })
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

  test('is not counted for requests that our limits shed, nor is an error', () => {
    const of = estimate(
      Array.from({ length: 96 }, (_, i) => (i % 2 ? { kind: 'shed', totalMs: 0 } : answered({ value: 1 }, 5))),
    )
    expect(of('latency.candidate.mean')).toEqual({ estimate: 5, n: 48 })
    expect(of('errorRate.candidate')).toEqual({ estimate: 0, n: 48 })
    expect(of('coverage').estimate).toBe(0.5)
  })
})
