import { expect, test } from 'vitest'
import type { CheckResult, Verdict } from '../../../../vocabulary/gate.ts'
import { verdictSentence } from './verdict-sentence.ts'

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

test('an undecided check says its bound, where the limit lies, and how much more it takes', () => {
  expect(sentence('inconclusive', {})).toBe(
    'p99 latency of the candidate is 231 to 262 ms; the limit, ≤ 250 ms, lies inside: 6,400 more observations, about 3 h 1 min.',
  )
})

test('a failed check says that nothing of its bound is inside', () => {
  const failed = {
    metric: 'agreement',
    slice: 'class=7',
    estimate: 0.86,
    lower: 0.85,
    upper: 0.87,
    limit: { min: 0.9 },
  }
  expect(sentence('fail', { ...failed, forecast: null })).toBe(
    'Agreement on the top label in class 7 is 0.850 to 0.870: the whole bound is outside the limit, ≥ 0.9.',
  )
})

test('too little evidence keeps the evaluation’s own words, with what is to come', () => {
  const samples = { metric: 'samples', forecast: { observations: 1, hours: 0.01 } }
  expect(sentence('inconclusive', samples, 'Have 9,999 of 10,000 samples.')).toBe(
    'Have 9,999 of 10,000 samples: 1 more observation, about 36 s.',
  )
})

test('where no check decides, or one without a bound, the stored reason stands', () => {
  expect(verdictSentence({ verdict: 'pass', reason: 'All 7 checks pass.', checks: [p99] })).toBe('All 7 checks pass.')
  expect(verdictSentence({ verdict: 'fail', reason: 'As stored.', checks: [] })).toBe('As stored.')
  expect(sentence('inconclusive', { lower: null, upper: null, forecast: null })).toBe('As stored.')
})
