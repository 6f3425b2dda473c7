import { expect, test } from 'vitest'
import { exchangesOf } from '../metrics/evidence/exchanges.ts'
import {
  answered,
  classification,
  contributionsOf,
  observe,
  policyOf,
  rangeOf,
  regression,
} from '../metrics/rollups.fixture.ts'
import { evaluateGate } from './evaluate.ts'

const right = answered({ scores: [1, 0] })
const kinds = {
  classification: { output: classification(['a', 'b']), answer: right, truth: { label: 'a' } },
  regression: { output: regression, answer: answered({ value: 3 }), truth: { value: 3 } },
}

/** 1,000 exchanges, one in so many with a label; the candidate fails in the last ten. */
function gateOf(kind: keyof typeof kinds, everyLabel: number, gate: Parameters<typeof policyOf>[1]) {
  const { output, answer, truth } = kinds[kind]
  const policy = policyOf(output, gate)
  const contributions = Array.from({ length: 1000 }, (_, i) => {
    const candidate = i < 990 ? answer : ({ kind: 'timedOut', totalMs: 100 } as const)
    return contributionsOf(policy, observe(answer, candidate), i % everyLabel === 0 ? truth : undefined)
  })
  const range = rangeOf(policy, contributions)
  return evaluateGate({
    policy,
    range,
    exchanges: exchangesOf(range, []),
    spannedMs: policy.window.duration,
    slices: { 'class=b': { range: rangeOf(policy, []), exchanges: exchangesOf(rangeOf(policy, []), []) } },
  })
}

const labels = { metric: 'labelCoverage', min: 0.2 }
const accuracy = { metric: 'accuracy.candidate', min: 0.5 }

test('too few labels make a gate inconclusive, whatever they say, and never fail it', () => {
  const { verdict, reason, checks } = gateOf('classification', 10, [accuracy, labels])
  expect(checks.map(({ metric, verdict }) => [metric, verdict])).toContainEqual(['accuracy.candidate', 'pass'])
  expect(checks[1]).toMatchObject({
    metric: 'labelCoverage',
    estimate: 0.1,
    lower: 0.1,
    upper: 0.1,
    n: 1000,
    verdict: 'inconclusive',
    decides: true,
    text: '10 % of 1,000 exchanges have a label; limit ≥ 20 % → inconclusive',
  })
  expect([verdict, reason]).toEqual(['inconclusive', '10 % of exchanges have a label (20 % needed).'])
})

test('enough labels pass, for each kind that takes labels', () => {
  const ofClass = gateOf('classification', 5, [accuracy, labels])
  expect(ofClass.checks[1]).toMatchObject({ estimate: 0.2, verdict: 'pass' })
  // a failed regression has no answer to compare a label with
  expect(gateOf('regression', 1, [labels]).checks[0]).toMatchObject({ estimate: 1, n: 990, verdict: 'pass' })
})

test('label coverage is not about the model, so a gate with no other check never passes', () => {
  const { verdict, reason } = gateOf('classification', 1, [labels])
  expect([verdict, reason]).toEqual([
    'inconclusive',
    'The policy has no binding check of the model, so the gate cannot pass.',
  ])
})

test('label coverage can be judged in a slice, and be report only', () => {
  const { checks } = gateOf('classification', 1, [
    { ...labels, slice: 'class=b' },
    { ...labels, reportOnly: true },
  ])
  expect(checks[0]).toMatchObject({ slice: 'class=b', estimate: null, verdict: 'inconclusive' })
  expect(checks[1]).toMatchObject({ estimate: 1, verdict: 'pass', reportOnly: true })
})
