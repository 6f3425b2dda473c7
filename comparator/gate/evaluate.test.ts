import { describe, expect, test } from 'vitest'
import type { Observation } from '../../vocabulary/observation.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { elementsMax } from '../compare/answer.ts'
import { type Exchanges, exchangesOf, type ReportedSkip } from '../metrics/evidence/exchanges.ts'
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
} from '../metrics/rollups.fixture.ts'
import { evaluateGate, type GateVerdict } from './evaluate.ts'
import { agreeing, inputOf } from './gate-input.fixture.ts'
import { digestPolicy } from './policy-digest.ts'

const labels = ['a', 'b', 'c']
const byLabel = classification(labels)

interface Given {
  buckets?: number
  spannedMs?: number
  skips?: ReportedSkip[]
  exchanges?: Exchanges
}

function gateOf(
  policy: Policy,
  observations: Observation[],
  { buckets, skips = [], ...given }: Given = {},
): GateVerdict {
  const input = inputOf(policy, observations, buckets)
  return evaluateGate({ ...input, exchanges: exchangesOf(input.range, skips), ...given })
}

function checkOf(gate: GateVerdict, metric: string) {
  const found = gate.checks.filter((check) => check.metric === metric)
  expect(found, metric).toHaveLength(1)
  return found[0]!
}

/** Values that differ by about this much, answered in about 20 and 10 ms. */
function values(count: number, error: number, seed = 1): Observation[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => {
    const value = normalFrom(random)
    const other = { value: value + error * normalFrom(random) }
    return observe(answered({ value }, 20 + 5 * random()), answered(other, 10 * Math.exp(0.3 * normalFrom(random))))
  })
}

const timedOut = (primary: object = { value: 1 }) => observe(answered(primary), { kind: 'timedOut', totalMs: 1000 })

describe('a gate', () => {
  const agreement = policyOf(byLabel, [{ metric: 'agreement', min: 0.95 }])

  test.each([
    ['passes where the whole bound is inside', 5000, 0.99, 'pass'],
    ['fails where the whole bound is outside', 5000, 0.8, 'fail'],
    ['is inconclusive where the bound straddles the limit', 400, 0.955, 'inconclusive'],
    ['passes where nothing ever failed, with enough of it', 5000, 1, 'pass'],
    ['is inconclusive where nothing ever failed, with little of it', 100, 1, 'inconclusive'],
    ['fails where everything failed', 500, 0, 'fail'],
  ])('%s', (_, count, share, verdict) => {
    const gate = gateOf(agreement, agreeing(count, share))
    expect(gate.verdict).toBe(verdict)
    expect(checkOf(gate, 'agreement').verdict).toBe(verdict)
  })

  test('marks the one check that decides: the first of its verdict, and none where all pass or none could', () => {
    const marked = ({ checks }: GateVerdict) => checks.filter(({ decides }) => decides).map(({ metric }) => metric)
    const two = policyOf(byLabel, [
      ...agreement.gate,
      { metric: 'topKOverlap', min: 1 },
      { metric: 'scoreMae', max: 0 },
    ])
    expect(marked(gateOf(two, agreeing(5000, 0.8)))).toEqual(['agreement'])
    expect(marked(gateOf(agreement, agreeing(50, 1)))).toEqual(['samples'])
    expect(marked(gateOf(agreement, agreeing(5000, 0.99)))).toEqual([])
    const reported = policyOf(byLabel, [{ metric: 'agreement', min: 0.95, reportOnly: true }])
    expect(marked(gateOf(reported, agreeing(50, 0.8)))).toEqual([])
  })

  test('shows its arithmetic', () => {
    const { text, estimate, lower, upper, n, limit } = checkOf(gateOf(agreement, agreeing(5000, 0.99)), 'agreement')
    expect(text).toMatch(
      /^agreement 0\.9\d+, 95 % bound 0\.9\d+–0\.9\d+ over 5,000 exchanges in 48 buckets; limit ≥ 0\.95: the whole bound is inside → pass$/,
    )
    expect(lower).toBeLessThan(estimate!)
    expect(upper).toBeGreaterThan(estimate!)
    expect({ n, limit }).toEqual({ n: 5000, limit: { min: 0.95 } })
  })

  test('counts a single exchange as one', () => {
    const { text } = checkOf(gateOf(agreement, agreeing(1, 1)), 'agreement')
    expect(text).toContain(' over 1 exchange in 1 bucket; ')
  })

  test('never passes without observations', () => {
    const gate = gateOf(agreement, [])
    expect(gate.verdict).toBe('inconclusive')
    expect(gate.reason).toBe('0 of 100 samples so far.')
    expect(gate.checks.every(({ verdict }) => verdict !== 'pass' || verdict === undefined)).toBe(false)
    expect(checkOf(gate, 'agreement')).toMatchObject({ estimate: null, lower: null, upper: null, n: 0 })
    expect(checkOf(gate, 'coverage').verdict).toBe('inconclusive')
  })

  test('never passes with too few samples, in too short a time, or in too few buckets', () => {
    const many = agreeing(5000, 1)
    const few = gateOf(policyOf(byLabel, agreement.gate, { samplesMin: 10_000 }), many)
    expect(few).toMatchObject({ verdict: 'inconclusive', reason: '5,000 of 10,000 samples so far.' })
    const short = gateOf(agreement, many, { spannedMs: 47.9 * 3600e3 })
    expect(short).toMatchObject({ verdict: 'inconclusive', reason: 'The evidence spans 47.9 h of 2 d.' })
    const lumped = gateOf(agreement, many, { buckets: 4 })
    expect(lumped.verdict).toBe('inconclusive')
    expect(checkOf(lumped, 'agreement').text).toContain('a bound needs 5 buckets → inconclusive')
    expect(lumped.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  })

  test('may fail early', () => {
    const policy = policyOf(byLabel, agreement.gate, { samplesMin: 10_000 })
    const gate = gateOf(policy, agreeing(1000, 0.5), { buckets: 10, spannedMs: 10 * 3600e3 })
    expect(gate.verdict).toBe('fail')
    expect(gate.reason).toMatch(/^agreement is 0\.5\d*, limit ≥ 0\.95: the whole bound is outside\.$/)
  })

  test('shows a report-only check without counting it', () => {
    const told = { metric: 'scoreMae', max: 1e-9, reportOnly: true }
    const gate = gateOf(policyOf(byLabel, [...agreement.gate, told]), agreeing(5000, 0.99))
    expect(checkOf(gate, 'scoreMae')).toMatchObject({ verdict: 'fail', reportOnly: true })
    expect(gate.verdict).toBe('pass')
  })

  test.each([
    ['no check', []],
    ['no check with a say', [{ metric: 'agreement', min: 0.5, reportOnly: true }]],
    ['nothing but the samples', [{ metric: 'samples', min: 10 }]],
  ])('with %s never passes', (_, gate) => {
    const found = gateOf(policyOf(byLabel, gate), agreeing(5000, 1))
    expect(found.verdict).toBe('inconclusive')
    expect(found.reason).toContain('no binding check of the model')
  })

  test('applies the stricter of a built-in limit and the policy’s own, as one check', () => {
    const policy = policyOf(byLabel, [
      ...agreement.gate,
      { metric: 'samples', min: 6000 },
      { metric: 'coverage', min: 0.5 },
    ])
    const gate = gateOf(policy, agreeing(5000, 1))
    expect(checkOf(gate, 'samples')).toMatchObject({ limit: { min: 6000 }, verdict: 'inconclusive' })
    expect(checkOf(gate, 'coverage')).toMatchObject({ limit: { min: 0.95 }, verdict: 'pass' })
    expect(gate.verdict).toBe('inconclusive')
  })

  test('is inconclusive where numbers are missing or not finite', () => {
    const policy = policyOf(regression, [{ metric: 'mae', max: 1 }])
    const contributions = values(5000, 0.01).map((observation) => contributionsOf(policy, observation))
    for (const poison of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const range = rangeOf(policy, contributions)
      range.buckets[7]!.sums.get('absError')!.sum = poison
      const gate = evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: policy.window.duration })
      expect(gate.verdict).toBe('inconclusive')
      expect(checkOf(gate, 'mae')).toMatchObject({ lower: null, upper: null })
    }
    const range = rangeOf(policy, contributions)
    const unknown = evaluateGate({ policy, range, exchanges: exchangesOf(range, []), spannedMs: Number.NaN })
    expect(unknown.verdict).toBe('inconclusive')
  })
})

describe('coverage', () => {
  const policy = policyOf(byLabel, [{ metric: 'agreement', min: 0.95 }])
  const many = agreeing(5000, 1)

  test('that falls short is inconclusive, and says what was skipped', () => {
    const gate = gateOf(policy, many, { skips: [{ reason: 'shed', sizeClass: 'le1KiB', count: 5000 }] })
    expect(gate).toMatchObject({
      verdict: 'inconclusive',
      reason:
        'Coverage is 50 % (95 % needed); skipped most often (5,000) because a limit or an open breaker of the mirror shed them.',
    })
    expect(checkOf(gate, 'coverage').text).toContain(
      '; skipped most often (5,000) because a limit or an open breaker of the mirror shed them; limit',
    )
  })

  test('explains too few samples where the mapping cannot read most answers', () => {
    const unread = Array.from({ length: 300 }, (_, i) =>
      observe(answered(i < 100 ? { scores: 'none' } : { other: 1 }), answered({ other: 1 })),
    )
    const skips: ReportedSkip[] = [{ reason: 'notSampled', sizeClass: 'le1KiB', count: 50_000 }]
    const why =
      'skipped most often (300) because the output mapping cannot read the primary’s answers: it mostly finds nothing at its place.'
    expect(gateOf(policy, unread, { skips }).reason).toBe(`0 of 100 samples so far; ${why}`)
    expect(gateOf(policy, [...many, ...unread], { skips }).reason).toBe(`Coverage is 94.34 % (95 % needed); ${why}`)
  })

  test('tells answers too large for the mapping from bodies too large for mirrors', () => {
    const good = answered({ scores: [1, 0, 0] })
    const unread = observe(answered({ scores: Array(elementsMax + 1).fill(0) }), good)
    const cut = observe({ kind: 'tooLarge', totalMs: 1 }, good)
    expect(gateOf(policy, [unread, unread, cut]).reason).toMatch(
      /skipped most often \(2\) because the output mapping .*: it mostly finds an answer too large to compare\.$/,
    )
  })

  test('does not count what sampling left out', () => {
    const gate = gateOf(policy, many, { skips: [{ reason: 'notSampled', sizeClass: 'le1KiB', count: 50_000 }] })
    expect(gate.verdict).toBe('pass')
    expect(checkOf(gate, 'coverage').estimate).toBe(1)
  })

  test('is judged by request size too', () => {
    const skips: ReportedSkip[] = [{ reason: 'tooLarge', sizeClass: 'gt1MiB', count: 100 }]
    const gate = gateOf(policy, many, { skips })
    expect(checkOf(gate, 'coverage')).toMatchObject({ verdict: 'inconclusive', lower: 0 })
    expect(gate.reason).toBe('Coverage of requests of over 1 MiB is 0 % (95 % needed).')
  })

  test.each([
    ['a handful', 2000, 29, 30],
    ['less than a hundredth', 5000, 50, 51],
  ])('lets %s of one size decide nothing', (_, others, few, enough) => {
    const observations = agreeing(others, 1)
    const verdictWith = (count: number) =>
      gateOf(policy, observations, { skips: [{ reason: 'tooLarge', sizeClass: 'gt1MiB', count }] }).verdict
    expect([verdictWith(few), verdictWith(enough)]).toEqual(['pass', 'inconclusive'])
  })
})

describe('errors of the candidate', () => {
  const mae = policyOf(regression, [{ metric: 'mae', max: 0.1 }])

  test('are seen by a gate whose only check is a distance', () => {
    const flawless = gateOf(mae, values(3000, 0.01))
    expect(flawless.verdict).toBe('pass')
    const observations = values(3000, 0.01).map((observation, i) => (i % 5 === 0 ? timedOut() : observation))
    const gate = gateOf(mae, observations)
    expect(checkOf(gate, 'mae').verdict).toBe('pass')
    expect(checkOf(gate, 'errorRate.delta')).toMatchObject({ verdict: 'fail', limit: { max: 0.01 }, reportOnly: false })
    expect(gate.verdict).toBe('fail')
  })

  test('have no implied limit where the policy sets a binding one', () => {
    const own = policyOf(regression, [...mae.gate, { metric: 'errorRate.candidate', max: 0.5 }])
    expect(gateOf(own, values(3000, 0.01)).checks.map(({ metric }) => metric)).not.toContain('errorRate.delta')
    const told = policyOf(regression, [...mae.gate, { metric: 'errorRate.candidate', max: 0.5, reportOnly: true }])
    expect(gateOf(told, values(3000, 0.01)).checks.map(({ metric }) => metric)).toContain('errorRate.delta')
    const inSlice = policyOf(regression, [...mae.gate, { metric: 'errorRate.candidate', slice: 'hour=07', max: 0.5 }])
    expect(gateOf(inSlice, values(30, 0.01)).checks.map(({ metric }) => metric)).toContain('errorRate.delta')
  })

  test.each([
    ['only of the primary', { metric: 'errorRate.primary', max: 0.5 }],
    ['from below', { metric: 'errorRate.candidate', min: 0 }],
  ])('are also seen by a gate that limits errors %s', (_how, check) => {
    const policy = policyOf(regression, [...mae.gate, check], { coverageMin: 0 })
    const observations = values(3000, 0.01).map((observation, i) => (i % 2 === 0 ? timedOut() : observation))
    expect(gateOf(policy, observations).verdict).toBe('fail')
  })

  test.each([
    ['one in 110 is undecided: the bound straddles the limit', 110, 1, 'inconclusive'],
    ['none in 700 is undecided: there may be one in a hundred', 700, 0, 'inconclusive'],
    ['none in 800 passes', 800, 0, 'pass'],
    ['one in 3,000 passes', 3000, 1, 'pass'],
  ])('are judged by their whole bound, like any metric: %s', (_how, count, failures, verdict) => {
    const observations = values(count, 0.01).map((observation, i) => (i < failures ? timedOut() : observation))
    const gate = gateOf(mae, observations)
    const check = checkOf(gate, 'errorRate.delta')
    expect(check.verdict).toBe(verdict)
    expect(check.text).toContain(
      'The policy sets no limit on failures, so at most 1 % more than the primary’s is allowed',
    )
    if (verdict === 'pass') expect(check.upper).toBeLessThanOrEqual(0.01)
    else expect(gate.verdict).toBe('inconclusive')
  })

  test('come with a forecast of the exchanges that are still needed', () => {
    const policy = policyOf(regression, mae.gate, { duration: 30 * 24 * 3600e3 })
    const check = checkOf(gateOf(policy, values(400, 0.01), { spannedMs: 48 * 3600e3 }), 'errorRate.delta')
    expect(check.verdict).toBe('inconclusive')
    expect(check.forecast!.observations).toBeGreaterThan(300)
    expect(check.forecast!.observations).toBeLessThan(400)
  })

  test('are named while the gate only waits for more evidence, if they are most of it', () => {
    const waiting = (failing: number) => {
      const observations = values(300, 0.01).map((observation, i) =>
        i < failing ? { ...observation, candidate: answered({ score: 1 }) } : observation,
      )
      return gateOf(policyOf(regression, mae.gate, { samplesMin: 10_000 }), observations, { buckets: 1 }).reason
    }
    expect(waiting(300)).toMatch(/^300 of 10,000 samples so far; the candidate failed in 300 exchanges/)
    expect(waiting(100)).toBe('300 of 10,000 samples so far.')
  })

  test('name their reason where they decide', () => {
    const unread = values(3000, 0.01).map((observation, i) =>
      i % 10 === 0 ? timedOut() : { ...observation, candidate: answered({ score: 1 }) },
    )
    const gate = gateOf(mae, unread)
    expect(gate.reason).toBe(
      'errorRate.delta is 1, limit ≤ 0.01: the whole bound is outside; the candidate failed in 3,000 exchanges, mostly because the output mapping cannot read its answers: it mostly finds nothing at its place.',
    )
    const failures = { n: 3000, reason: 'unmapped', ofReason: 2700, found: 'notFound' }
    expect(checkOf(gate, 'errorRate.delta').failures).toEqual(failures)
    expect(checkOf(gate, 'errorRate.delta').text).toContain('→ fail; the candidate failed in 3,000 exchanges')
    expect(checkOf(gateOf(mae, values(3000, 0.01)), 'errorRate.delta')).not.toHaveProperty('failures')
  })

  test.each(['topKOverlap', 'labelF1', 'labelsEqual'])(
    'are named by %s, for which a failure is a mismatch',
    (metric) => {
      const tags = policyOf({ kind: 'classification', scores: '/scores', topK: 1, scoreMin: 0.5 }, [
        { metric, min: 0.9 },
      ])
      const gate = gateOf(
        tags,
        Array.from({ length: 1000 }, () => timedOut({ scores: [1, 0] })),
      )
      expect(checkOf(gate, metric).failures).toMatchObject({ n: 1000, reason: 'timedOut' })
    },
  )

  test('are not named where the primary fails more often', () => {
    const observations = values(1000, 0.01).map((observation, i) =>
      i === 0 ? timedOut() : i % 11 === 0 ? { ...observation, primary: answered('', 1, 503) } : observation,
    )
    const check = checkOf(
      gateOf(policyOf(regression, [{ metric: 'errorRate.delta', max: -0.2 }]), observations),
      'errorRate.delta',
    )
    expect(check.verdict).toBe('fail')
    expect(check).not.toHaveProperty('failures')
  })

  test('are named by an agreement only where they are at least half of its mismatches', () => {
    const policy = policyOf(classification(['a', 'b']), [
      { metric: 'agreement', min: 0.99 },
      { metric: 'errorRate.candidate', max: 1 },
    ])
    const scores = { agreed: { scores: [0.9, 0.1] }, apart: { scores: [0.1, 0.9] } }
    const reasonAt = (failed: number) =>
      gateOf(
        policy,
        Array.from({ length: 1000 }, (_, i) =>
          observe(
            answered(scores.agreed),
            i % 10 < failed ? answered('', 1, 503) : answered(i % 10 < 5 ? scores.apart : scores.agreed),
          ),
        ),
      ).reason
    expect(reasonAt(3)).toContain(
      '; the candidate failed in 300 exchanges, because it answered with an error: mostly status 503',
    )
    expect(reasonAt(2)).not.toContain('the candidate failed')
  })

  test('are not explained by vectors that could be read, but have no angle', () => {
    const policy = policyOf({ kind: 'embedding', vector: '/v' }, [{ metric: 'errorRate.candidate', max: 0.01 }])
    const answers = [{ v: [0, 0] }, { v: [0, 0] }, { other: 1 }, { other: 1 }, { v: 'x' }]
    const failing = Array.from({ length: 1000 }, (_, i) =>
      observe(answered({ v: [1, 0] }), answered(answers[i % 5] ?? {})),
    )
    const { reason } = gateOf(policy, [...failing, ...failing.filter((_, i) => i % 10 === 0)])
    expect(reason).toContain('mostly because the output mapping cannot read its answers: it mostly finds nothing')
  })

  test('that the primary shares do not count against the candidate', () => {
    const failing = () => observe(answered('', 1, 503), answered('', 1, 503))
    const observations = values(3000, 0.01).map((observation, i) => (i % 30 === 0 ? failing() : observation))
    expect(checkOf(gateOf(mae, observations), 'errorRate.delta').verdict).toBe('pass')
  })
})

describe('a limit on a quantile', () => {
  test('counts a candidate that timed out as over it', () => {
    const policy = policyOf(regression, [
      { metric: 'latency.candidate.p99', max: 250 },
      { metric: 'errorRate.delta', max: 0.5 },
    ])
    const answering = values(3000, 0.01)
    expect(checkOf(gateOf(policy, answering), 'latency.candidate.p99').verdict).toBe('pass')
    const observations = answering.map((observation, i) => (i % 20 === 0 ? timedOut() : observation))
    expect(checkOf(gateOf(policy, observations), 'latency.candidate.p99')).toMatchObject({ verdict: 'fail', n: 3000 })
  })

  const latency = (max: number) => policyOf(regression, [{ metric: 'latency.candidate.p99', max }])
  // log-normal: the 99th percentile is 10 · exp(0.3 · 2.326) = 20.1 ms
  const observations = values(8000, 0.01, 3)

  test.each([
    [26, 'pass'],
    [16, 'fail'],
    [20.2, 'inconclusive'],
  ])('of %d ms is judged by the share above it', (max, verdict) => {
    const check = checkOf(gateOf(latency(max), observations), 'latency.candidate.p99')
    expect(check.verdict).toBe(verdict)
    expect(check.estimate).toBeGreaterThan(19.5)
    expect(check.estimate).toBeLessThan(20.8)
    expect(check.lower).toBeLessThan(check.estimate!)
    expect(check.upper).toBeGreaterThan(check.estimate!)
    if (verdict === 'pass') expect(check.upper).toBeLessThanOrEqual(max)
    if (verdict === 'fail') expect(check.lower).toBeGreaterThanOrEqual(max)
  })

  test('shows the share, its bound and what is allowed', () => {
    const { text } = checkOf(gateOf(latency(20.2), observations), 'latency.candidate.p99')
    expect(text).toMatch(
      /^latency\.candidate\.p99 \d+\.\d+ ms, limit ≤ 20\.2 ms: \d+\.\d+ % of 8,000 exchanges were over 20\.2 ms, 95 % bound 0\.\d+ %–1\.\d+ %; allowed 1 %: the bound straddles the limit → inconclusive; pass would take [\d.]+ d at the present rate, [\d.]+ times the window$/,
    )
  })

  test('from below is judged by the share under it, also beside one from above', () => {
    // 84 % are under 13.5 ms, and 94 % under 16 ms
    const atLeast = (min: number) => policyOf(regression, [{ metric: 'latency.candidate.p90', min, max: 100 }])
    expect(checkOf(gateOf(atLeast(13.5), observations), 'latency.candidate.p90').verdict).toBe('pass')
    expect(checkOf(gateOf(atLeast(16), observations), 'latency.candidate.p90').verdict).toBe('fail')
  })

  test('on a signed difference works below zero', () => {
    const delta = policyOf(regression, [{ metric: 'latency.delta.p50', max: -5 }])
    expect(checkOf(gateOf(delta, observations), 'latency.delta.p50').verdict).toBe('pass')
  })

  test('is inconclusive with too few exchanges to exclude a tail', () => {
    const check = checkOf(gateOf(latency(1000), values(200, 0.01)), 'latency.candidate.p99')
    expect(check).toMatchObject({ verdict: 'inconclusive', upper: null })
  })
})

describe('other metrics', () => {
  test.each([
    ['rmse', { max: 0.02 }, 'pass'],
    ['rmse', { max: 0.005 }, 'fail'],
    ['maxAbsError', { max: 0.1 }, 'pass'],
    ['maxAbsError', { max: 0.02 }, 'fail'],
    ['bias', { min: -0.005, max: 0.005 }, 'pass'],
    ['pearson', { min: 0.999 }, 'pass'],
    ['ccc', { min: 0.99999 }, 'fail'],
    ['latency.ratio.p95', { max: 0.8 }, 'pass'],
    ['latency.ratio.p95', { max: 0.5 }, 'fail'],
    ['latency.slower', { max: 0.1 }, 'pass'],
    ['absError.p95', { max: 0.03 }, 'pass'],
    ['outputDrift.ks', { max: 0.1 }, 'pass'],
    ['outputDrift.psi', { max: 0.1 }, 'pass'],
    ['coverage', { min: 0.9 }, 'pass'],
  ])('%s is judged against %j: %s', (metric, limit, verdict) => {
    const policy = policyOf(regression, [{ metric, ...limit }])
    expect(checkOf(gateOf(policy, values(5000, 0.01, 5)), metric).verdict).toBe(verdict)
  })

  test('drift is unknown below 200 samples', () => {
    const policy = policyOf(regression, [{ metric: 'outputDrift.psi', max: 10 }])
    const check = checkOf(gateOf(policy, values(150, 0.01)), 'outputDrift.psi')
    expect(check).toMatchObject({ verdict: 'inconclusive', lower: null, upper: null })
    expect(check.estimate).not.toBeNull()
  })

  test('metrics against ground truth are inconclusive without labels', () => {
    const policy = policyOf(byLabel, [{ metric: 'accuracy.drift', min: -0.02 }])
    const gate = gateOf(policy, agreeing(5000, 1))
    expect(gate).toMatchObject({ verdict: 'inconclusive', reason: 'accuracy.drift has no evidence yet.' })
  })
})

test('texts show a limit with all its digits, however the estimate beside it is rounded', () => {
  const ofClasses = policyOf(byLabel, [{ metric: 'agreement', min: 0.99995 }], { coverageMin: 0.99995 })
  const gate = gateOf(ofClasses, agreeing(500, 0.9))
  expect(gate.reason).toMatch(/^agreement is 0\.\d+, limit ≥ 0\.99995: the whole bound is outside\.$/)
  expect(checkOf(gate, 'agreement').text).toContain('; limit ≥ 0.99995: ')
  expect(checkOf(gate, 'coverage').text).toContain('; limit ≥ 99.995 % → pass')
  const ofValues = policyOf(regression, [
    { metric: 'bias', min: -99.995, max: 99.995 },
    { metric: 'latency.candidate.p99', max: 12_345.678 },
  ])
  const checks = gateOf(ofValues, values(500, 0.1))
  expect(checkOf(checks, 'bias').text).toContain('; limit ≥ -99.995 and ≤ 99.995: ')
  expect(checkOf(checks, 'latency.candidate.p99').text).toMatch(/limit ≤ 12,345\.678 ms: .* were over 12,345\.678 ms/)
})

test('a policy’s digest depends on its content, not on the order of its keys', () => {
  const policy = policyOf(byLabel, [{ metric: 'agreement', min: 0.95 }])
  const reordered = Object.fromEntries(Object.entries(policy).reverse()) as unknown as Policy
  expect(digestPolicy(reordered)).toBe(digestPolicy(policy))
  expect(digestPolicy(policy)).toMatch(/^[0-9a-f]{64}$/)
  expect(digestPolicy({ ...policy, confidence: 0.96 })).not.toBe(digestPolicy(policy))
  expect(digestPolicy({ ...policy, gate: [] })).not.toBe(digestPolicy(policy))
})
