import { quantileOfBins } from '../../statistics/quantile.ts'
import { relationWithUnseen, unseenShare } from '../../statistics/unseen-share.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Functional } from './functional.ts'
import { quantileSuffixes } from './quantile-metrics.ts'

/** The candidate's quantiles of latency over the primary's. */
export const latencyRatios = Object.entries(quantileSuffixes).map(
  ([suffix, q]): Functional => ({
    name: `latency.ratio.${suffix}`,
    from: 'bins',
    sums: [],
    least: 0,
    greatest: Number.POSITIVE_INFINITY,
    samplesMin: 0,
    estimate: (evidence) => quantileRatio(evidence, q),
    samples: ({ distributionOf }, growth = 1) => distributionOf('latency.candidate').total * growth,
    unseen: ({ distributionOf }, _, { n, alpha }) => {
      const [candidate, primary] = [distributionOf('latency.candidate'), distributionOf('latency.primary')]
      return relationWithUnseen(candidate, primary, q, 'ratio', unseenShare(n, alpha))
    },
  }),
)

function quantileRatio(evidence: Evidence, q: number): number | null {
  const primary = quantileOfBins(evidence.distributionOf('latency.primary'), q)
  const candidate = quantileOfBins(evidence.distributionOf('latency.candidate'), q)
  return primary === null || candidate === null || primary <= 0 ? null : candidate / primary
}
