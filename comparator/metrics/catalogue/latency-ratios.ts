import type { Distribution } from '../../statistics/distribution.ts'
import { quantileOfBins, smoothQuantile } from '../../statistics/quantile.ts'
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
    estimate: (evidence) => quantileRatio(evidence, (of) => quantileOfBins(of, q)),
    smooth: (evidence) => quantileRatio(evidence, (of) => smoothQuantile(of, q)),
    samples: ({ distributionOf }, growth = 1) => distributionOf('latency.candidate').total * growth,
    unseen: ({ distributionOf }, _, { n, alpha }) => {
      const distributions = [distributionOf('latency.candidate'), distributionOf('latency.primary')] as const
      return relationWithUnseen(distributions, q, 'ratio', unseenShare(n, alpha))
    },
  }),
)

function quantileRatio({ distributionOf }: Evidence, quantileIn: (of: Distribution) => number | null): number | null {
  const primary = quantileIn(distributionOf('latency.primary'))
  const candidate = quantileIn(distributionOf('latency.candidate'))
  return primary === null || candidate === null || primary <= 0 ? null : candidate / primary
}
