import { expect, test } from 'vitest'
import type { LiveCounts } from '../../vocabulary/live-gate.ts'
import { judgeLive, type LiveLimits, liveLimitsOf } from './live-gate.ts'

const none: LiveCounts = {
  pairs: { n: 0, candidateAlone: 0, primaryAlone: 0 },
  candidate: { n: 0, errors: 0 },
  latency: { n: 0, overP95: 0, overP99: 0 },
}
const counts = (n: number, { worse = 0, better = 0, overP99 = 0 } = {}): LiveCounts => ({
  pairs: { n, candidateAlone: worse, primaryAlone: better },
  candidate: { n, errors: worse },
  latency: { n: n - worse, overP95: overP99, overP99 },
})
const limits: LiveLimits = { errorRateDeltaMax: 0.01, latencyP99Max: 250, samplesMin: 20 }
const asked = { limits, confidence: 0.95, isExpected: true, since: '2026-11-21T08:00:00.000Z' }
const judge = (live: LiveCounts, { all = live, isExpected = true } = {}) =>
  judgeLive({ ...asked, evidence: { live, all }, isExpected })

test('good answers pass, and too few of them are no evidence', () => {
  expect(judge(counts(500))).toMatchObject({ verdict: 'pass', samples: 500 })
  expect(judge(counts(19))).toMatchObject({
    verdict: 'inconclusive',
    reason: 'live answers seen: 19, needed 20 → inconclusive',
  })
  expect(judge(none)).toMatchObject({ verdict: 'inconclusive', holds: true })
})

test('nothing at all is never a pass; where nothing could come it holds no step, and says so', () => {
  const silent = judge(none, { isExpected: false })
  expect(silent).toMatchObject({ verdict: 'inconclusive', holds: false, samples: 0 })
  expect(silent.reason).toMatch(/none needed \(no mirror reports/)
  expect(silent.checks.map(({ verdict }) => verdict)).not.toContain('pass')
  const unasked = judgeLive({ ...asked, limits: { ...limits, samplesMin: 0 }, evidence: { live: none, all: none } })
  expect(unasked).toMatchObject({ verdict: 'inconclusive', holds: false })
  expect(unasked.reason).toContain('guard.samplesMin is 0')
})

test('what the primary took over ends a step, or holds it, though no client got anything from the candidate', () => {
  const over = (worse: number) => judge(none, { all: counts(30, { worse }), isExpected: false })
  expect(over(0)).toMatchObject({ verdict: 'inconclusive', holds: false })
  expect(over(1)).toMatchObject({ verdict: 'inconclusive', holds: true, reason: expect.stringContaining('allTraffic') })
  expect(over(12)).toMatchObject({ verdict: 'fail', holds: true })
})

test('answers without one that was timed leave the latency open, which holds no step', () => {
  const untimed = { ...counts(30), latency: none.latency }
  expect(judge(untimed)).toMatchObject({
    verdict: 'inconclusive',
    holds: false,
    reason: expect.stringContaining('p99'),
  })
})

test('one bad answer among few is doubt, many are surely harm', () => {
  expect(judge(counts(30, { worse: 1 })).verdict).toBe('inconclusive')
  expect(judge(counts(30, { worse: 12 })).verdict).toBe('fail')
  expect(judge(counts(5000, { worse: 40 })).verdict).toBe('pass')
  expect(judge(counts(5000, { worse: 200 })).verdict).toBe('fail')
})

test('errors that the primary makes too are not held against the candidate', () => {
  expect(judge(counts(5000, { worse: 200, better: 200 })).verdict).toBe('pass')
})

test('a candidate whose failures the primary takes over fails by all traffic', () => {
  const all = counts(1000, { worse: 500 })
  const judged = judge(counts(30), { all })
  expect(judged).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('errorRate.delta.allTraffic') })
})

test('p99 is at most 1 % of the answers over the limit', () => {
  expect(judge(counts(2000, { overP99: 15 })).verdict).toBe('pass')
  expect(judge(counts(2000, { overP99: 25 })).verdict).toBe('inconclusive')
  expect(judge(counts(2000, { overP99: 100 })).verdict).toBe('fail')
})

test('looking after every answer for a long time ends few sound rollouts by chance', () => {
  const random = seededRandom(7)
  let failures = 0
  for (let rollout = 0; rollout < 200; rollout++) {
    const at = counts(0)
    for (let n = 1; n <= 1000; n++) {
      at.pairs.n = at.candidate.n = at.latency.n = n
      if (random() >= 0.01) continue // only a slow answer, of which there are just as many as may be, can end it
      at.latency.overP99++
      if (judge(at).verdict !== 'fail') continue
      failures++
      break
    }
  }
  expect(failures / 200).toBeLessThanOrEqual(0.05)
})

test("what the config leaves out comes from the gate's own checks that have a say", () => {
  const gate = [
    { metric: 'errorRate.delta', max: 0.002, reportOnly: false },
    { metric: 'latency.candidate.p99', max: 250, reportOnly: false },
    { metric: 'latency.candidate.p95', max: 90, reportOnly: true },
  ]
  expect(liveLimitsOf({}, gate)).toEqual({ errorRateDeltaMax: 0.002, latencyP99Max: 250, samplesMin: 1 })
  expect(liveLimitsOf({ latencyP99Max: 300 }, gate).latencyP99Max).toBe(300)
  expect(liveLimitsOf({}, []).errorRateDeltaMax).toBe(0.01)
})

/** mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
