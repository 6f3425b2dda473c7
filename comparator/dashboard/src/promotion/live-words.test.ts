import { expect, test } from 'vitest'
import type { LiveCheck, LiveGate } from '../../../../vocabulary/api/live-gate.ts'
import { harmOf, harmWords, liveReason, liveWords } from './live-words.ts'

const check = (metric: string, more: Partial<LiveCheck> = {}): LiveCheck => ({
  ...{ metric, share: 0, lower: 0, limit: 0.02, n: 15, verdict: 'pass', text: 'raw' },
  ...more,
})
const samples = check('samples', { share: null, lower: null, limit: 100 })

test('harm ends a rollout, but not a completed promotion', () => {
  expect(harmWords(false)).toContain('ends the rollout')
  expect(harmWords(true)).toContain('only a person')
})

test('each live check is named like the metrics, and says what was counted', () => {
  const all = [
    samples,
    check('errorRate.delta'),
    check('errorRate.delta.allTraffic', { share: -0.01, n: 207 }),
    check('errorRate.candidate', { share: 0.25, lower: 0.08, n: 1204 }),
    check('latency.candidate.p95', { share: 0.031, limit: 25, n: 1 }),
    check('latency.candidate.p95', { share: 0.031, lower: 0.4, limit: 25, n: 2000 }),
    check('latency.candidate.p99', { share: null, lower: null, limit: 250, n: 0 }),
  ]
  expect(all.map(liveWords).map(({ label, text }) => `${label}: ${text}`)).toEqual([
    'Answers to clients: 15 seen, 100 needed',
    'Error rate, candidate − primary: 0\u00a0% over 15 answers; limit ≤\u00a02\u00a0%',
    'Error rate, candidate − primary, all traffic: −1\u00a0% over 207 answers; limit ≤\u00a02\u00a0%',
    'Error rate of the candidate: 25\u00a0% over 1,204 answers, lower bound 8\u00a0%; limit ≤\u00a02\u00a0%',
    'p95 latency of the candidate: 3.1\u00a0% of 1 answer took longer than 25\u00a0ms; allowed 5\u00a0%',
    'p95 latency of the candidate: 3.1\u00a0% of 2,000 answers took longer than 25\u00a0ms, at some point at least 40\u00a0%; allowed 5\u00a0%',
    'p99 latency of the candidate: no answers yet',
  ])
})

test('a waiting step says what for; a check without harm says nothing', () => {
  const doubt = check('errorRate.candidate', { share: 0.03, verdict: 'inconclusive' })
  const live = (verdict: LiveGate['verdict'], checks: LiveCheck[]) =>
    liveReason({ verdict, checks, samples: 15, since: '', holds: true, reason: 'raw' })
  expect(live('pass', [samples])).toBeNull()
  expect(live('inconclusive', [samples, doubt])).toBe('Answers to clients: 15 seen, 100 needed')
  const [well, unseen] = [check('errorRate.delta'), check('errorRate.delta', { n: 0, verdict: 'inconclusive' })]
  expect(live('inconclusive', [{ ...samples, limit: 15 }, well, unseen, doubt])).toBe(
    'Error rate of the candidate: 3\u00a0% over 15 answers; limit ≤\u00a02\u00a0%',
  )
  expect(live('inconclusive', [{ ...samples, limit: 15 }, well, unseen])).toBeNull()
  const harm = check('errorRate.delta', { share: 0.5, lower: 0.2, verdict: 'fail' })
  const words =
    'Error rate, candidate − primary: 50\u00a0% over 15 answers, lower bound 20\u00a0%; limit ≤\u00a02\u00a0%'
  expect(live('fail', [samples, harm])).toBe(words)
  const liveGate = {
    verdict: 'fail',
    checks: [samples, harm],
    samples: 15,
    since: '',
    holds: true,
    reason: 'raw',
  } as const
  expect(harmOf({ liveGate: { ...liveGate, checks: [samples, harm] } })).toBe(`${words}.`)
  expect(harmOf({ liveGate: { ...liveGate, verdict: 'inconclusive', checks: [samples, harm] } })).toBeNull()
})
