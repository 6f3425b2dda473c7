import { expect, test } from 'vitest'
import type { LiveSecond } from '../../vocabulary/api/live-gate.ts'
import { randomFrom } from '../metrics/rollups.fixture.ts'
import { judgeLive, type LiveLimits, liveLimitsOf } from './live-gate.ts'

const aSecond = 2

const counts = (second: number, n: number, { worse = 0, better = 0, overP99 = 0 } = {}): LiveSecond => ({
  second,
  pairs: { n, candidateAlone: worse, primaryAlone: better },
  candidate: { n, errors: worse },
  latency: { n: n - worse, overP95: overP99, overP99 },
})
/** Answers at two a second, with the bad ones spread evenly. */
const answers = (n: number, bad: { worse?: number; better?: number; overP99?: number } = {}): LiveSecond[] => {
  const perSecond = (all: number | undefined, second: number) => {
    const by = (seconds: number) => Math.round(((all ?? 0) * Math.min(n, seconds * aSecond)) / n)
    return by(second + 1) - by(second)
  }
  return Array.from({ length: Math.ceil(n / aSecond) }, (_, second) =>
    counts(second, perSecond(n, second), {
      worse: perSecond(bad.worse, second),
      better: perSecond(bad.better, second),
      overP99: perSecond(bad.overP99, second),
    }),
  )
}
const samplesOf = (live: LiveSecond[]) => live.reduce((sum, { candidate }) => sum + candidate.n, 0)
const limits: LiveLimits = { errorRateDeltaMax: 0.01, latencyP99Max: 250, samplesMin: 20 }
const asked = { limits, confidence: 0.95, isExpected: true, since: '2026-11-21T08:00:00.000Z' }
const judge = (live: LiveSecond[], { all = live, isExpected = true, samples = samplesOf(live) } = {}) =>
  judgeLive({ ...asked, evidence: { samples, live, all }, isExpected })

test('good answers pass, but too few of them are inconclusive', () => {
  expect(judge(answers(500))).toMatchObject({ verdict: 'pass', samples: 500 })
  expect(judge(answers(19))).toMatchObject({
    verdict: 'inconclusive',
    reason: 'live answers seen: 19, needed 20 → inconclusive',
  })
  expect(judge([])).toMatchObject({ verdict: 'inconclusive', holds: true })
  const one = { samples: 1, live: answers(1), all: answers(1) }
  const { reason } = judgeLive({ ...asked, limits: { ...limits, samplesMin: 1 }, evidence: one, isExpected: true })
  expect(reason).toBe('All 4 live checks hold over 1 answer.')
})

test('no evidence is never a pass; where none is expected it holds no step, and says so', () => {
  const silent = judge([], { isExpected: false })
  expect(silent).toMatchObject({ verdict: 'inconclusive', holds: false, samples: 0 })
  expect(silent.reason).toMatch(/none needed \(no mirror reports/)
  expect(silent.checks.map(({ verdict }) => verdict)).not.toContain('pass')
  const unasked = judgeLive({
    ...asked,
    limits: { ...limits, samplesMin: 0 },
    evidence: { samples: 0, live: [], all: [] },
  })
  expect(unasked).toMatchObject({ verdict: 'inconclusive', holds: false })
  expect(unasked.reason).toContain('guard.samplesMin is 0')
})

test('candidate failures that the primary took over hold or end a step, even if clients saw no candidate answer', () => {
  const over = (worse: number) => judge([], { all: answers(30, { worse }), isExpected: false })
  expect(over(0)).toMatchObject({ verdict: 'inconclusive', holds: false })
  expect(over(1)).toMatchObject({ verdict: 'inconclusive', holds: true, reason: expect.stringContaining('allTraffic') })
  expect(over(12)).toMatchObject({ verdict: 'fail', holds: true })
})

test('answers without timings leave latency inconclusive, which holds no step', () => {
  const untimed = answers(30).map((second) => ({ ...second, latency: { n: 0, overP95: 0, overP99: 0 } }))
  expect(judge(untimed)).toMatchObject({
    verdict: 'inconclusive',
    holds: false,
    reason: expect.stringContaining('p99'),
  })
})

test('one bad answer among few is inconclusive, many are a failure', () => {
  expect(judge(answers(30, { worse: 1 })).verdict).toBe('inconclusive')
  expect(judge(answers(30, { worse: 12 })).verdict).toBe('fail')
  expect(judge(answers(5000, { worse: 40 })).verdict).toBe('pass')
  expect(judge(answers(5000, { worse: 200 })).verdict).toBe('fail')
})

test('errors that the primary makes too do not count against the candidate', () => {
  expect(judge(answers(5000, { worse: 200, better: 200 })).verdict).toBe('pass')
})

test('a candidate whose failures the primary takes over fails by the check over all traffic', () => {
  const all = answers(1000, { worse: 500 })
  const judged = judge(answers(30), { all })
  expect(judged).toMatchObject({ verdict: 'fail', reason: expect.stringContaining('errorRate.delta.allTraffic') })
})

test('p99 is at most 1 % of the answers over the limit', () => {
  expect(judge(answers(2000, { overP99: 15 })).verdict).toBe('pass')
  expect(judge(answers(2000, { overP99: 25 })).verdict).toBe('inconclusive')
  expect(judge(answers(2000, { overP99: 100 })).verdict).toBe('fail')
})

test('a limit on p95, and one on the candidate’s errors whatever the primary’s, are judged where they are set', () => {
  const judgedBy = (more: Partial<LiveLimits>, live: LiveSecond[]) =>
    judgeLive({
      ...asked,
      limits: { ...more, errorRateDeltaMax: 1, samplesMin: 1 },
      evidence: { samples: 1, live, all: [] },
    })
  const ends = (metric: string) => ({ verdict: 'fail', reason: expect.stringContaining(metric) })
  const p95 = { latencyP95Max: 90 }
  expect(judgedBy(p95, answers(2000, { overP99: 400 }))).toMatchObject(ends('latency.candidate.p95'))
  expect(judgedBy(p95, answers(2000, { overP99: 60 })).verdict).not.toBe('fail')
  const failing = answers(5000, { worse: 200, better: 200 })
  expect(judgedBy({ errorRateMax: 0.01 }, failing)).toMatchObject(ends('errorRate.candidate'))
  expect(judgedBy({}, failing).verdict).not.toBe('fail')
})

test('of answers that all fail, no good one is counted', () => {
  const check = judge(answers(60, { worse: 60 })).checks.find(({ metric }) => metric === 'errorRate.delta')!
  expect(check).toMatchObject({ share: 1, n: 60 })
  expect(check.lower).toBeGreaterThan(0.7)
})

test('a pause of some seconds is inconclusive, however many answers wait in it', () => {
  const good = answers(1200)
  const paused = (seconds: number) => [
    ...good,
    ...Array.from({ length: seconds }, (_, i) => counts(600 + i, 1000, { overP99: 1000 })),
  ]
  expect(judge(paused(1)).verdict).toBe('inconclusive')
  expect(judge(paused(4)).verdict).toBe('inconclusive')
  expect(judge(paused(10)).verdict).toBe('fail')
  // each error is an answer's own
  expect(judge([...good, counts(600, 1000, { worse: 1000 })]).verdict).toBe('fail')
})

test('harm that begins after a long good time ends the step within seconds, though few of all answers are bad', () => {
  const failing = [...answers(2000), ...Array.from({ length: 8 }, (_, i) => counts(1000 + i, 1, { worse: 1 }))]
  const judged = judge(failing)
  expect(judged.verdict).toBe('fail')
  expect(judged.reason).toMatch(/errorRate\.delta: 0\.398\d? % more errors than the primary, at some point at least \d/)
})

test('answers from before the judged seconds count towards samplesMin', () => {
  expect(judge(answers(10)).reason).toContain('needed 20')
  expect(judge(answers(10), { samples: 20 })).toMatchObject({ verdict: 'pass', samples: 20 })
})

test('looking every second for a long time ends few sound rollouts by chance', () => {
  const random = randomFrom(7)
  let failures = 0
  for (let rollout = 0; rollout < 60; rollout++) {
    const live: LiveSecond[] = []
    for (let second = 0; second < 600; second++) {
      // five answers a second, with exactly the allowed share of slow ones
      const overP99 = Array.from({ length: 5 }, () => random()).filter((draw) => draw < 0.01).length
      live.push(counts(second, 5, { overP99 }))
      if (live.length > 120) live.shift()
      if (overP99 === 0 || judge(live).verdict !== 'fail') continue
      failures++
      break
    }
  }
  expect(failures / 60).toBeLessThanOrEqual(0.05)
})

test('the more is checked, the more certain each check must be, so that all together are wrong no more often', () => {
  const live = answers(300, { worse: 30 })
  const lowerWith = (more: Partial<LiveLimits>) =>
    judgeLive({ ...asked, limits: { ...limits, ...more }, evidence: { samples: 300, live, all: live } }).checks[1]!
      .lower!
  expect(lowerWith({})).toBeGreaterThan(0)
  expect(lowerWith({ errorRateMax: 0.5, latencyP95Max: 250 })).toBeLessThan(lowerWith({}))
})

test("limits that the config leaves out come from the gate's binding checks", () => {
  const gate = [
    { metric: 'errorRate.candidate', max: 0.03, reportOnly: false },
    { metric: 'errorRate.delta', max: 0.002, reportOnly: false },
    { metric: 'latency.candidate.p99', max: 250, reportOnly: false },
    { metric: 'latency.candidate.p99', max: 400, reportOnly: false },
    { metric: 'latency.candidate.p95', max: 90, reportOnly: true },
    // says nothing of all clients
    { metric: 'latency.candidate.p99', max: 100, slice: 'class=1', reportOnly: false },
  ]
  const ofGate = { errorRateMax: 0.03, errorRateDeltaMax: 0.002, latencyP99Max: 250, samplesMin: 1 }
  expect(liveLimitsOf({}, gate)).toEqual(ofGate)
  const guard = { errorRateMax: 0.2, errorRateDeltaMax: 0.1, latencyP95Max: 200, latencyP99Max: 300, samplesMin: 50 }
  expect(liveLimitsOf(guard, gate)).toEqual(guard)
  expect(liveLimitsOf({}, []).errorRateDeltaMax).toBe(0.01)
})
