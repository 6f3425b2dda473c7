import { concordance, correlationsWithUnseen, type PairMeans, pearson } from '../../statistics/correlation.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Sums } from '../../statistics/sums.ts'
import { unseenShare } from '../../statistics/unseen-share.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { Functional } from './functional.ts'

const pairMeasures: readonly string[] = [
  'absError',
  'output.primary',
  'output.candidate',
  'primarySquare',
  'candidateSquare',
  'squaredError',
]

const correlation = {
  from: 'sums',
  sums: pairMeasures,
  least: -1,
  greatest: 1,
  samplesMin: 0,
  samples: ({ sums }: Evidence, growth = 1) => (sums.get('absError')?.n ?? 0) * growth,
  unseenOnlyWithoutSpread: true,
} as const

/** How closely both sides' values follow each other. */
export const correlations = (['pearson', 'ccc'] as const).map((name): Functional => {
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
