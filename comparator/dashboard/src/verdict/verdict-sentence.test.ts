import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import type { ValidationView } from '../../../../vocabulary/api/validation.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { validationSentence, verdictSentence } from './verdict-sentence.ts'

const p99: CheckResult = {
  metric: 'latency.candidate.p99',
  estimate: 240.4,
  lower: 231,
  upper: 262,
  limit: { max: 250 },
  n: 12_000,
  verdict: 'inconclusive',
  forecast: { observations: 6400, hours: 3.02 },
  decides: true,
  reportOnly: false,
  text: '',
}
const sentence = (verdict: Verdict, check: Partial<CheckResult>, reason = 'As stored.') =>
  verdictSentence({ verdict, reason, checks: [{ ...p99, verdict, ...check }] })

test('an undecided check states its bound, where the limit lies, and how much more it needs', () => {
  expect(sentence('inconclusive', {})).toBe(
    'p99 latency of the candidate is 231 to 262\u00a0ms, which straddles the limit (≤\u00a0250\u00a0ms); about 3\u00a0h 1\u00a0min to go (6,400 more observations).',
  )
})

test('a failed check says that no part of its bound is inside the limit', () => {
  const failed = {
    metric: 'agreement',
    slice: 'class=7',
    estimate: 0.86,
    lower: 0.85,
    upper: 0.87,
    limit: { min: 0.9 },
  }
  expect(sentence('fail', { ...failed, forecast: null })).toBe(
    'Agreement on the top label in class 7 is 0.850 to 0.870, wholly outside the limit (≥\u00a00.9).',
  )
})

test('no displayed end of a failed bound touches or crosses the limit', () => {
  const agreement = { metric: 'agreement', estimate: 0.75, lower: 0.7, upper: 0.7998, limit: { min: 0.8 } }
  expect(sentence('fail', { ...agreement, forecast: null })).toBe(
    'Agreement on the top label is 0.7000 to 0.7998, wholly outside the limit (≥\u00a00.8).',
  )
  const delta = { metric: 'latency.delta.p95', estimate: 26.4, lower: 25.04, upper: 28, limit: { max: 25 } }
  expect(sentence('fail', { ...delta, forecast: null })).toBe(
    'p95 latency, candidate − primary is 25.04 to 28.00\u00a0ms, wholly outside the limit (≤\u00a025\u00a0ms).',
  )
  const recent = { from: '2026-10-30T07:00:00Z', estimate: 0.75, lower: 0.7, upper: 0.7998, limit: { min: 0.8 }, n: 9 }
  expect(sentence('inconclusive', { ...agreement, recent } as Partial<CheckResult>)).toContain('0.7000 to 0.7998')
})

test('a check short of labels says so in its stored words', () => {
  const labels = { metric: 'labelCoverage', estimate: 0.1, lower: 0.1, upper: 0.1, limit: { min: 0.2 }, forecast: null }
  expect(sentence('inconclusive', labels, '10\u00a0% of exchanges have a label (20\u00a0% needed).')).toBe(
    '10\u00a0% of exchanges have a label (20\u00a0% needed).',
  )
})

test('error rates in the sentence are in per cent, as in the live gate', () => {
  const errors = { metric: 'errorRate.delta', estimate: 0.092, lower: 0.071, upper: 0.113, limit: { max: 0.05 } }
  expect(sentence('fail', { ...errors, forecast: null })).toBe(
    'Error rate, candidate − primary is 7.1 to 11.3\u00a0%, wholly outside the limit (≤\u00a05\u00a0%).',
  )
})

test('the candidate’s failures are named if they decide', () => {
  const errors = {
    metric: 'errorRate.delta',
    estimate: 0.9,
    lower: 0.8,
    upper: 1,
    limit: { max: 0.05 },
    forecast: null,
  }
  const failures = { n: 1100, reason: 'unmapped', ofReason: 1000, found: 'notFound' }
  expect(sentence('fail', { ...errors, failures })).toBe(
    'Error rate, candidate − primary is 80 to 100\u00a0%, wholly outside the limit (≤\u00a05\u00a0%); the candidate failed in 1,100 exchanges, mostly: answer does not fit the mapping (notFound).',
  )
  const one = { n: 1, reason: 'timedOut', ofReason: 1 }
  expect(sentence('fail', { ...errors, failures: one })).toContain('; the candidate failed in 1 exchange: timed out.')
})

test('too little evidence keeps the evaluation’s own words, with the forecast', () => {
  const samples = { metric: 'samples', forecast: { observations: 1, hours: 0.01 } }
  expect(sentence('inconclusive', samples, '9,999 of 10,000 samples so far.')).toBe(
    '9,999 of 10,000 samples so far; the rest in about 36\u00a0s.',
  )
  const hourMs = 3_600_000
  const young = { metric: 'duration', estimate: 50 * hourMs, lower: 50 * hourMs, upper: 50 * hourMs }
  const full = { limit: { min: 168 * hourMs }, forecast: { observations: 700, hours: 118 } }
  expect(sentence('inconclusive', { ...young, ...full }, 'As stored.')).toBe(
    'The evidence spans 2\u00a0d 2\u00a0h of 7\u00a0d; about 4\u00a0d 22\u00a0h to go.',
  )
})

test('if no check decides, or one without a bound, the stored reason is used', () => {
  expect(verdictSentence({ verdict: 'pass', reason: 'All 7 checks pass.', checks: [p99] })).toBe('All 7 checks pass.')
  expect(verdictSentence({ verdict: 'fail', reason: 'As stored.', checks: [] })).toBe('As stored.')
})

test('a check without a bound, or without evidence, says so by its name', () => {
  const none = { lower: null, upper: null, forecast: null }
  expect(sentence('inconclusive', none)).toBe('p99 latency of the candidate has too little evidence for a bound.')
  expect(sentence('inconclusive', { ...none, estimate: null })).toBe(
    'p99 latency of the candidate has no evidence yet.',
  )
  const unmeasured = { ...p99, ...none, estimate: null, decides: true as const }
  expect(verdictSentence({ verdict: 'inconclusive', reason: '', checks: [unmeasured] }, 'nothing is arriving')).toBe(
    'p99 latency of the candidate has no evidence yet; nothing is arriving.',
  )
})

test('the reason for a missing forecast comes at the end, and nothing is promised while nothing arrives', () => {
  const few = { metric: 'samples', forecast: null, noForecast: { because: 'beyondWindow', hours: 54, windows: 1.12 } }
  const check = { ...p99, ...few, decides: true } as CheckResult
  const evaluation = { verdict: 'inconclusive', reason: '273 of 500 samples so far.', checks: [check] } as const
  expect(verdictSentence({ ...evaluation, checks: [check] })).toBe(
    '273 of 500 samples so far; at the present rate this takes 1.1 times the window.',
  )
  expect(verdictSentence({ ...evaluation, checks: [check] }, 'nothing is arriving')).toBe(
    '273 of 500 samples so far; nothing is arriving.',
  )
  expect(verdictSentence({ verdict: 'inconclusive', reason: '', checks: [p99] }, 'nothing is arriving')).toBe(
    'p99 latency of the candidate is 231 to 262\u00a0ms, which straddles the limit (≤\u00a0250\u00a0ms); nothing is arriving.',
  )
})

test('a validation in a list says the same as its page; a noise floor says that it is one', () => {
  const validation = {
    ...{ verdict: 'inconclusive', reason: 'As stored.', noiseFloorOf: [], policy: { gate: [{ reportOnly: false }] } },
    ...{
      glance: { decides: p99 },
      arriving: { quietSince: null, lastSeenAt: null },
      exchanges: { seen: 0, skipped: {} },
    },
  } as unknown as ValidationView
  expect(validationSentence(validation)).toBe(sentence('inconclusive', {}))
  const undecided = { ...validation, glance: { decides: null } } as ValidationView
  expect(validationSentence(undecided)).toBe('As stored.')
  const floor = { ...validation, noiseFloorOf: ['digits'], policy: { gate: [{ reportOnly: true }] } } as ValidationView
  expect(validationSentence(floor)).toBe(
    'The primary against itself: the noise floor for digits. It has no verdict of its own.',
  )
  expect(validationSentence({ ...floor, noiseFloorOf: [] })).toBe(sentence('inconclusive', {}))
  const gated = { ...floor, policy: { gate: [{ reportOnly: true }, { reportOnly: false }] } } as ValidationView
  expect(validationSentence(gated)).toBe(sentence('inconclusive', {}))
})
