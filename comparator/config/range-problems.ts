import type { ConfigProblem } from '../../runtime/config/problem.ts'
import type { Loose } from '../../runtime/config/semantics.ts'
import type { Catalogue } from '../metrics/catalogue/catalogue.ts'
import type { Metric, Support } from '../metrics/catalogue/metric.ts'

const inShares = ': 1 % is 0.01'

/** The range of possible values, and a hint for the reader of the problem. */
interface Range {
  lower: number
  upper: number
  unit?: string
}

const ranges: Partial<Record<Support, Range>> = {
  share: { lower: 0, upper: 1, unit: inShares },
  paired: { lower: -1, upper: 1, unit: inShares },
  cosine: { lower: -1, upper: 1 },
  cosineDistance: { lower: 0, upper: 2 },
}

/** Problems of limits outside a metric's range; most are percentages given for shares. */
export function rangeProblems(check: Loose, path: string, catalogue: Catalogue): ConfigProblem[] {
  const range = rangeOf(catalogue.get(String(check.metric)), catalogue)
  if (!range) return []
  const { lower, upper, unit = '' } = range
  const extent = upper - lower
  const beyond = (keys: readonly string[], least: number, greatest: number) =>
    keys.flatMap((key) => {
      const value = check[key]
      // the schema reports what is no finite number
      if (!isFiniteNumber(value) || (value >= least && value <= greatest)) return []
      return [{ path: `${path}.${key}`, value, expected: `a number from ${least} to ${greatest}${unit}` }]
    })
  return [...beyond(['min', 'max'], lower, upper), ...beyond(['minDifference', 'maxDifference'], -extent, extent)]
}

function rangeOf(metric: Metric | undefined, catalogue: Catalogue): Range | undefined {
  switch (metric?.kind) {
    case 'mean':
      return ranges[metric.support]
    case 'quantile':
      // that of the mean of the same values, such as of f1 for f1.p05; latencies have no limit
      return rangeOf(catalogue.get(metric.values), catalogue)
    case 'functional':
      return Number.isFinite(metric.greatest) ? { lower: metric.least, upper: metric.greatest } : undefined
    case 'wins':
    case 'coverage':
    case 'labelCoverage':
      return ranges.share
    default:
      return undefined
  }
}

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)
