import { describe, expect, test } from 'vitest'
import type { OutputMapping } from '../../vocabulary/mapping/output-mapping.ts'
import type { GateCheck } from '../../vocabulary/policy.ts'
import { answered, classification, observe, policyOf, regression } from '../metrics/rollups.fixture.ts'
import { boundsOf } from '../metrics/views/bounds.ts'
import { unseenShare } from '../statistics/unseen-share.ts'
import { evaluateGate } from './evaluate.ts'
import { inputOf } from './gate-input.fixture.ts'

type Check = Omit<GateCheck, 'reportOnly'>

const outputs: Record<string, OutputMapping> = {
  regression,
  classification: classification(['a', 'b', 'c']),
  embedding: { kind: 'embedding', vector: '/vector' },
  detection: { kind: 'detection', boxes: '/boxes', iouMin: 0.5 },
  text: { kind: 'text', text: '/text' },
  json: { kind: 'json', document: '', ignore: [], tolerance: { absolute: 0, relative: 0 } },
}
const box = (i: number) => ({ box: [i, 0, i + 10, 10], label: 'cat', score: 0.9 })
const answers: Record<string, (i: number) => unknown> = {
  regression: (i) => ({ value: (i % 7) - 2 }),
  classification: (i) => ({ scores: [0, 1, 2].map((k) => (k === i % 3 ? 0.8 : 0.1)) }),
  embedding: () => ({ vector: [0.6, 0.8] }),
  detection: (i) => ({ boxes: [box(0), box(20 + (i % 5))] }),
  text: () => ({ text: 'the same' }),
  json: (i) => ({ name: 'ana', items: [{ price: i % 9 }] }),
}

/** Both sides give the same answers in the same time. */
function alike(kind: string, count: number, gate: Check[] = []) {
  const policy = policyOf(outputs[kind]!, [...gate, { metric: 'errorRate.candidate', max: 1 }])
  const observations = Array.from({ length: count }, (_, i) => {
    const answer = answered(answers[kind]!(i), 10)
    return observe(answer, answer)
  })
  return inputOf(policy, observations)
}

describe.each(Object.keys(outputs))('where all answers of a %s are the same on both sides', (kind) => {
  test.each([60, 240, 3000])('no bound over %d exchanges excludes everything else', (count) => {
    const { policy, range } = alike(kind, count)
    const isKnown = /^(samples|coverage|labelCoverage|maxAbsError)$/
    // the median of constant values is certain: less than half of the population can be unseen
    const isQuantile = /\.p\d\d$/
    let bounded = 0
    for (const [name, { estimate, lower, upper }] of Object.entries(boundsOf(policy, range))) {
      if (estimate === null || isKnown.test(name) || isQuantile.test(name)) continue
      if (lower === null || upper === null) continue
      expect(upper - lower, name).toBeGreaterThan(1e-6)
      expect(lower, name).toBeLessThanOrEqual(estimate)
      expect(upper, name).toBeGreaterThanOrEqual(estimate)
      bounded++
    }
    expect(bounded).toBeGreaterThan(4)
  })
})

test.each<[kind: string, check: Check, few: number, enough: number]>([
  ['classification', { metric: 'agreement', min: 0.99 }, 600, 750],
  ['classification', { metric: 'kappa', min: 0.99 }, 1000, 1100],
  ['classification', { metric: 'scoreMae', max: 0.01 }, 500, 600],
  ['classification', { metric: 'jsDivergence', max: 0.01 }, 600, 750],
  ['classification', { metric: 'outputDrift.psi', max: 0.1 }, 550, 700],
  ['classification', { metric: 'outputDrift.js', max: 0.01 }, 600, 750],
  ['classification', { metric: 'outputDrift.ks', max: 0.01 }, 600, 750],
  ['classification', { metric: 'outputDrift.wasserstein', max: 0.01 }, 500, 600],
  ['regression', { metric: 'mae', max: 0.1 }, 240, 300],
  ['regression', { metric: 'mae', max: 0.04 }, 600, 750],
  ['regression', { metric: 'rmse', max: 0.4 }, 600, 750],
  ['regression', { metric: 'bias', min: -0.04, max: 0.04 }, 600, 750],
  ['regression', { metric: 'ccc', min: 0.95 }, 500, 650],
  ['regression', { metric: 'pearson', min: 0.95 }, 2600, 3000],
  ['regression', { metric: 'outputDrift.psi', max: 0.1 }, 550, 700],
  ['regression', { metric: 'latency.ratio.p95', max: 1 }, 100, 130],
  ['regression', { metric: 'latency.ratio.p99', max: 1 }, 600, 750],
  ['regression', { metric: 'latency.delta.mean', max: 0.1 }, 600, 750],
  ['detection', { metric: 'countError', max: 0.02 }, 600, 750],
  ['detection', { metric: 'scoreMae', max: 0.01 }, 600, 750],
  ['json', { metric: 'missingFields', max: 0.02 }, 600, 750],
])('%s: %j needs more than %d exchanges that are all alike, and %d are enough', (kind, check, few, enough) => {
  const judged = (count: number) => evaluateGate(alike(kind, count, [check]))
  const undecided = judged(few)
  expect(undecided.verdict).toBe('inconclusive')
  expect(undecided.checks[0]).toMatchObject({ metric: check.metric, verdict: 'inconclusive' })
  expect(judged(enough)).toMatchObject({ verdict: 'pass' })
})

test('a constant mean of values without an upper bound never passes a maximum', () => {
  const check = { metric: 'latency.candidate.mean', max: 1e6 }
  const gate = evaluateGate(alike('regression', 3000, [check]))
  expect(gate.checks[0]).toMatchObject({ estimate: 10, upper: null, verdict: 'inconclusive', forecast: null })
  expect(gate.checks[0]!.text).toContain('nothing bounds the unseen ones')
  expect(gate.checks[0]!.lower).toBeCloseTo(10 * (1 - unseenShare(3000, 0.05)), 9)
})

test('a relation of constant times is judged by the bounds of the two', () => {
  const check = { metric: 'latency.candidate.p95', relativeTo: 'primary', maxRatio: 1.01 } as const
  expect(evaluateGate(alike('regression', 100, [check])).checks[0]).toMatchObject({ verdict: 'inconclusive' })
  expect(evaluateGate(alike('regression', 200, [check])).checks[0]).toMatchObject({ estimate: 1, verdict: 'pass' })
})
