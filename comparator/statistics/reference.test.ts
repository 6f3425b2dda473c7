import { describe, expect, test } from 'vitest'
import { clusteredMean } from './clustered-mean.ts'
import { confidenceSequenceRadius } from './confidence-sequence.ts'
import { decileShares } from './decile-shares.ts'
import { distributionOfValues } from './distribution.fixture.ts'
import { distributionDistances } from './distribution-distances.ts'
import { jensenShannon } from './jensen-shannon.ts'
import { confusionFrom, kappa } from './kappa.ts'
import { mcnemarP } from './mcnemar.ts'
import { populationStability } from './population-stability.ts'
import { proportionSequence } from './proportion-sequence.ts'
import { quantile } from './quantile.ts'
import reference from './reference.json' with { type: 'json' }
// written by reference-errors.py
import errors from './reference-errors.json' with { type: 'json' }

const { cases } = reference
const drifts = cases.outputDrift.map((drift, i) => ({ ...drift, js: errors.divergences[i]! }))

describe("the statistics agree with SciPy's", () => {
  test.each(drifts)('on the drift between two samples', ({ primary, candidate, expected, js }) => {
    const a = distributionOfValues(primary)
    const b = distributionOfValues(candidate)
    const shares = decileShares(a, b)!
    expect(populationStability(shares.a, shares.b)).toBeCloseTo(expected.psi, 12)
    expect(jensenShannon(shares.a, shares.b)).toBeCloseTo(js, 12)
    expect(distributionDistances(a, b)!.ks).toBeCloseTo(expected.ks, 12)
    expect(distributionDistances(a, b)!.wasserstein).toBeCloseTo(expected.wasserstein, 12)
  })

  test.each(['primary', 'candidate', 'delta'] as const)('on the quantiles of %s latencies', (of) => {
    const { primaryMs, candidateMs, expected } = cases.latency
    const values = { primary: primaryMs, candidate: candidateMs, delta: candidateMs.map((c, i) => c - primaryMs[i]!) }
    const sample = distributionOfValues(values[of])
    for (const [name, value] of Object.entries(expected[of])) {
      expect(quantile(sample, Number(name.slice(1)) / 100)).toBeCloseTo(value, 9)
    }
  })

  test('on the confusion of a classification', () => {
    const { confusion, kappa: expected, mcnemar } = cases.classification.expected
    const cells = confusion.flatMap((row, i) => row.map((n, j): [string, string, number] => [`${i}`, `${j}`, n]))
    expect(kappa(confusionFrom(cells))).toBeCloseTo(expected, 12)
    expect(mcnemarP(mcnemar.primaryOnlyCorrect, mcnemar.candidateOnlyCorrect)).toBeCloseTo(mcnemar.exactP, 12)
  })

  test.each(cases.confidenceSequenceRadius)('on a confidence sequence at t = $t, α = $alpha', (given) => {
    const { t, sd, alpha, tOpt, expected } = given
    expect(confidenceSequenceRadius(t, sd, alpha, tOpt)).toBeCloseTo(expected, 12)
  })

  test('on the error of a mean of clusters', () => {
    const { blocks, expected } = cases.clusteredMean
    const found = clusteredMean(blocks)!
    expect(found.mean).toBeCloseTo(expected.mean, 12)
    expect(found.standardError).toBeCloseTo(expected.standardError, 12)
    expect(found.deviations).toHaveLength(expected.blocks)
  })

  test.each(cases.proportionIntervals)(
    'on $successes of $trials: the bound for looking at any time is no narrower than that for looking once',
    ({ successes, trials, confidence, expected }) => {
      const found = proportionSequence(successes, trials, 1 - confidence)
      if (expected === null) {
        expect(found).toBeNull()
        return
      }
      for (const [lower, upper] of [expected.wilson, expected.clopperPearson] as [number, number][]) {
        expect(found!.lower).toBeLessThanOrEqual(lower + 1e-12)
        expect(found!.upper).toBeGreaterThanOrEqual(upper - 1e-12)
      }
    },
  )
})
