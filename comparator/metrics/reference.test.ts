import { describe, expect, test } from 'vitest'
import type { MetricTree } from '../../vocabulary/api/metrics.ts'
import reference from '../statistics/reference.json' with { type: 'json' }
import errors from '../statistics/reference-errors.json' with { type: 'json' }
import { evidenceOf } from './evidence/evidence.ts'
import { answered, classification, contributionsOf, observe, policyOf, rangeOf, regression } from './rollups.fixture.ts'
import { confusionOf } from './views/confusion-matrix.ts'
import { totalsOf } from './views/totals.ts'

const { cases } = reference

/** The metrics of observations that pass through bodies and rollups in 48 buckets. */
function regressionTotals(primary: (number | number[])[], candidate: (number | number[])[]): MetricTree {
  const policy = policyOf(regression)
  const contributions = primary.map((value, i) =>
    contributionsOf(policy, observe(answered({ value }), answered({ value: candidate[i] }))),
  )
  return totalsOf(policy, rangeOf(policy, contributions))
}

function expectWithin(found: unknown, expected: number, relative: number): void {
  expect(Math.abs((found as number) - expected)).toBeLessThanOrEqual(relative * Math.abs(expected))
}

describe("metrics from rollups agree with SciPy's from raw values", () => {
  test.each(['regressionSmallNegative', 'regressionHeavyTailed'] as const)('on %s', (name) => {
    const { primary, candidate, expected } = cases[name]
    const totals = regressionTotals(primary, candidate)
    expect(totals.samples).toBe(expected.n)
    for (const exact of ['mae', 'rmse', 'bias', 'maxAbsError', 'pearson', 'ccc'] as const) {
      expectWithin(totals[exact], expected[exact], 1e-9)
    }
    for (const [quantile, value] of Object.entries(expected.absError)) {
      expectWithin((totals.absError as MetricTree)[quantile], value, 0.01)
    }
  })

  test('on vectors', () => {
    const { primary, candidate, expected } = cases.regressionVector
    const totals = regressionTotals(primary, candidate)
    expect(totals.samples).toBe(expected.n)
    for (const exact of ['mae', 'rmse', 'bias', 'maxAbsError'] as const)
      expectWithin(totals[exact], expected[exact], 1e-9)
  })

  test('on a classification with its true labels', () => {
    const { primary, candidate, labels, expected } = cases.classification
    const names = ['0', '1', '2', '3', '4']
    const policy = policyOf(classification(names))
    const contributions = primary.map((scores, i) =>
      contributionsOf(policy, observe(answered({ scores }), answered({ scores: candidate[i] })), {
        label: String(labels[i]),
      }),
    )
    const range = rangeOf(policy, contributions)
    const totals = totalsOf(policy, range)
    expect(totals.samples).toBe(expected.n)
    expect(totals.labelled).toBe(expected.n)
    expectWithin(totals.agreement, expected.agreement, 1e-9)
    expectWithin(totals.topKOverlap, expected.top3Overlap, 1e-9)
    expectWithin(totals.scoreMae, expected.scoreMae, 1e-9)
    expectWithin(totals.jsDivergence, expected.jsDivergence, 1e-6)
    expectWithin(totals.kappa, expected.kappa, 1e-9)
    expect(confusionOf(policy, evidenceOf(range))).toEqual({ labels: names, counts: expected.confusion })
    const accuracy = totals.accuracy as MetricTree
    for (const of of ['primary', 'candidate', 'drift'] as const) expectWithin(accuracy[of], expected.accuracy[of], 1e-9)
    expectWithin(accuracy.mcnemarP, expected.mcnemar.exactP, 1e-9)
  })

  test('on latencies', () => {
    const { primaryMs, candidateMs, expected } = cases.latency
    const policy = policyOf(regression)
    const contributions = primaryMs.map((ms, i) =>
      contributionsOf(policy, observe(answered({ value: 1 }, ms), answered({ value: 1 }, candidateMs[i]))),
    )
    const latency = totalsOf(policy, rangeOf(policy, contributions)).latency as Record<string, MetricTree>
    for (const of of ['primary', 'candidate', 'delta', 'ratio'] as const) {
      for (const [quantile, value] of Object.entries(expected[of])) expectWithin(latency[of]![quantile], value, 0.01)
    }
    expectWithin(latency.delta!.mean, expected.meanDelta, 1e-9)
    expectWithin(latency.slower, expected.fractionSlower, 1e-9)
  })

  const drifts = cases.outputDrift.map((drift, i) => ({ ...drift, js: errors.divergences[i]! }))
  test.each(drifts.filter(({ primary, candidate }) => primary.length === candidate.length))(
    'on output drift, as closely as half-percent bins allow for a few hundred values',
    ({ primary, candidate, expected, js }) => {
      const drift = regressionTotals(primary, candidate).outputDrift as MetricTree
      expect(Math.abs((drift.psi as number) - expected.psi)).toBeLessThan(0.02)
      expect(Math.abs((drift.js as number) - js)).toBeLessThan(0.002)
      expect(Math.abs((drift.ks as number) - expected.ks)).toBeLessThan(0.01)
      expectWithin(drift.wasserstein, expected.wasserstein, 0.02)
    },
  )
})
