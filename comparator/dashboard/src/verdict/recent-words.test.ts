import { expect, test } from 'vitest'
import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import { heldClause, recentSentence } from './recent-words.ts'
import { verdictSentence } from './verdict-sentence.ts'

const recent = {
  from: '2026-10-30T07:00:00.000Z',
  estimate: 0.953,
  lower: 0.949,
  upper: 0.957,
  limit: { min: 0.99 },
  n: 4100,
}
const agreement: CheckResult = {
  metric: 'agreement',
  estimate: 0.994,
  lower: 0.992,
  upper: 0.996,
  limit: { min: 0.99 },
  n: 120_000,
  verdict: 'inconclusive',
  forecast: null,
  recent,
  decides: true,
  reportOnly: false,
  text: '',
}

test('a check held by the newest evidence says so, with its figures', () => {
  expect(verdictSentence({ verdict: 'inconclusive', reason: 'As stored.', checks: [agreement] })).toBe(
    'Agreement on the top label passes over the window, but the evidence since 2026-10-30 07:00\u00a0UTC alone is outside the limit (≥\u00a00.99): 0.9490 to 0.9570.',
  )
  expect(recentSentence(agreement)).toBe(
    'Newest evidence alone (since 2026-10-30 07:00\u00a0UTC): 0.9490 to 0.9570, outside the limit.',
  )
})

test('for a limit on a quantile they are the share beyond it', () => {
  const share = {
    ...recent,
    estimate: 0.048,
    lower: 0.041,
    upper: 0.055,
    limit: { max: 0.01 },
    beyond: 'over' as const,
  }
  const p99 = { ...agreement, metric: 'latency.candidate.p99', limit: { max: 250 }, recent: share }
  expect(heldClause(p99)).toBe(
    'passes over the window, but the evidence since 2026-10-30 07:00\u00a0UTC alone is outside the limit (≤\u00a01\u00a0%): 4.10 to 5.50\u00a0% over 250\u00a0ms',
  )
  const p50 = { ...p99, limit: { min: 5 }, recent: { ...share, beyond: 'under' as const } }
  expect(recentSentence(p50)).toContain('4.10 to 5.50\u00a0% under 5\u00a0ms')
})

test('for seconds it names the second, and for failures it says what they were', () => {
  const failures = { n: 42, reason: 'timedOut', ofReason: 42 }
  const short = { ...agreement, recent: { ...recent, from: '2026-10-30T07:00:40.000Z', failures } }
  expect(heldClause(short)).toBe(
    'passes over the window, but the evidence since 2026-10-30 07:00:40\u00a0UTC alone is outside the limit (≥\u00a00.99): 0.9490 to 0.9570; the candidate failed in 42 exchanges: timed out',
  )
})

test('a passing check is held by nothing, and one that was not judged on the newest evidence says nothing', () => {
  expect(heldClause({ ...agreement, verdict: 'pass' })).toBeNull()
  expect(recentSentence({ ...agreement, verdict: 'pass', recent: { ...recent, lower: null, upper: null } })).toBe(
    'Newest evidence alone (since 2026-10-30 07:00\u00a0UTC): too little for a bound.',
  )
  for (const none of [null, undefined]) {
    const { recent: _, ...check } = agreement
    const unjudged = { ...check, ...(none === null && { recent: none }) }
    expect([recentSentence(unjudged), heldClause(unjudged)]).toEqual([null, null])
  }
})
