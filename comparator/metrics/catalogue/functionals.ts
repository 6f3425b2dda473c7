import type { OutputKind } from '../../../vocabulary/output-kind.ts'
import { concordance, correlationsWithUnseen, type PairMeans, pearson } from '../../statistics/correlation.ts'
import { agreementOf, type Confusion, kappa, kappaWithin } from '../../statistics/kappa.ts'
import { type Interval, proportionSequence } from '../../statistics/proportion-sequence.ts'
import { quantileOfBins } from '../../statistics/quantile.ts'
import type { Sums } from '../../statistics/sums.ts'
import { relationWithUnseen, unseenShare } from '../../statistics/unseen-share.ts'
import { confusionIn, othersIn } from '../evidence/confusion-in.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { exchangesBehind, rowsMeasure } from '../evidence/exchanges-behind.ts'
import { otherName } from '../name-sample.ts'
import type { Functional } from './functional.ts'
import { outputDriftOf } from './output-drift.ts'
import { quantileSuffixes } from './quantile-metrics.ts'

export function functionalsOf(kind: OutputKind): Functional[] {
  return [...(ownFunctionals[kind] ?? []), ...latencyRatios, ...outputDriftOf(kind)]
}

const pairMeasures: readonly string[] = [
  'absError',
  'output.primary',
  'output.candidate',
  'primarySquare',
  'candidateSquare',
  'squaredError',
]

const latencyRatios = Object.entries(quantileSuffixes).map(
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

const correlation = {
  from: 'sums',
  sums: pairMeasures,
  least: -1,
  greatest: 1,
  samplesMin: 0,
  samples: ({ sums }: Evidence, growth = 1) => (sums.get('absError')?.n ?? 0) * growth,
  unseenOnlyWithoutSpread: true,
} as const

const correlations = (['pearson', 'ccc'] as const).map((name): Functional => {
  const statistic = { pearson, ccc: concordance }[name]
  return {
    name,
    ...correlation,
    estimate: ({ sums }) => {
      const means = pairMeansIn(sums)
      return means && statistic(means)
    },
    unseen: ({ sums }, _, { n, alpha }) => {
      const means = pairMeansIn(sums)!
      return correlationsWithUnseen(means, unseenShare(n, alpha), distanceSqIn(sums, means))?.[name] ?? anything
    },
  }
})
const anything: Interval = { lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY }

function kappaFrom(confusionOf: (sums: Sums) => Confusion): Functional {
  return {
    name: 'kappa',
    from: 'cells',
    sums: [rowsMeasure],
    least: -1,
    greatest: 1,
    samplesMin: 0,
    estimate: ({ sums }) => kappa(confusionOf(sums)),
    samples: ({ sums }, growth = 1) => exchangesBehind(confusionIn(sums).total, sums) * growth,
    unseen: ({ sums }, _, { n, alpha }) => {
      const confusion = confusionOf(sums)
      return kappaWithin(confusion, proportionSequence(agreementOf(confusion) * n, n, alpha)!)
    },
  }
}

/**
 * Others count as one class, which agrees by chance more often than they would apart: kappa is at least this. In `most`
 * they never agree by chance.
 */
const kappaOfClasses: Functional = {
  ...kappaFrom(confusionIn),
  most: kappaFrom((sums) => {
    const confusion = confusionIn(sums)
    return { ...confusion, rows: new Map(confusion.rows).set(otherName, 0) }
  }),
  hasOthers: ({ sums }) => {
    const { primary, candidate } = othersIn(confusionIn(sums))
    return primary > 0 && candidate > 0
  },
}

const ownFunctionals: Partial<Record<OutputKind, Functional[]>> = {
  regression: correlations,
  classification: [kappaOfClasses],
}

function quantileRatio(evidence: Evidence, q: number): number | null {
  const primary = quantileOfBins(evidence.distributionOf('latency.primary'), q)
  const candidate = quantileOfBins(evidence.distributionOf('latency.candidate'), q)
  return primary === null || candidate === null || primary <= 0 ? null : candidate / primary
}

function pairMeansIn(sums: Sums): PairMeans | null {
  const meanOf = (measure: string) => {
    const sum = sums.get(measure)
    return sum === undefined ? Number.NaN : sum.sum / sum.n
  }
  const means: PairMeans = {
    p: meanOf('output.primary'),
    c: meanOf('output.candidate'),
    pp: meanOf('primarySquare'),
    cc: meanOf('candidateSquare'),
    dd: meanOf('squaredError'),
  }
  return Object.values(means).some(Number.isNaN) ? null : means
}

/**
 * The greatest mean square difference of two answers within the range of those seen: from the span of their values and,
 * for vectors, which have a spread of their own, twice its standard deviation.
 */
function distanceSqIn(sums: Sums, { pp, cc }: PairMeans): number {
  const [p, c] = [sums.get('output.primary')!, sums.get('output.candidate')!]
  const within = Math.max(0, pp - p.sumSq / p.n, cc - c.sumSq / c.n)
  return (Math.max(p.max, c.max) - Math.min(p.min, c.min)) ** 2 + 4 * within
}
