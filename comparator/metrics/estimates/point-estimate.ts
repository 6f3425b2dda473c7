import { quantile } from '../../statistics/quantile.ts'
import type { Sum } from '../../statistics/sums.ts'
import type { Metric } from '../catalogue/metric.ts'
import { distributionBehind } from '../catalogue/quantile-metrics.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { coverageOf, type Exchanges } from '../evidence/exchanges.ts'
import { unlabelledRowsMeasure } from '../measures.ts'
import { finite } from './finite.ts'

/** A metric's value without a bound; `null` where there is no evidence. */
export function estimateOf(
  metric: Metric,
  evidence: Evidence,
  exchanges: Exchanges,
): { estimate: number | null; n: number } {
  switch (metric.kind) {
    case 'samples':
      return { estimate: exchanges.compared, n: exchanges.compared }
    case 'coverage':
      return { estimate: coverageOf(exchanges), n: exchanges.compared }
    case 'labelCoverage': {
      const n = evidence.sums.get(metric.compared)?.n ?? 0
      const labelled = evidence.sums.get(metric.labelled)?.n ?? 0
      const leftOpen = evidence.sums.get(unlabelledRowsMeasure)?.sum ?? 0
      return { estimate: n > 0 ? (labelled - leftOpen) / n : null, n }
    }
    case 'quantile': {
      const values = distributionBehind(metric, evidence)
      return { estimate: withinExtremes(quantile(values, metric.q), metric.values, evidence), n: values.total }
    }
    case 'functional':
      return { estimate: finite(metric.estimate(evidence)), n: metric.samples(evidence) }
    default: {
      const all = evidence.sums.get(metric.measure)
      const sum = metric.kind === 'wins' && all !== undefined ? winsIn(all) : all
      if (sum === undefined || sum.n <= 0) return { estimate: null, n: 0 }
      if (metric.kind === 'maximum') return { estimate: finite(sum.max), n: sum.n }
      const mean = sum.sum / sum.n
      return { estimate: finite(metric.kind === 'rootMean' ? Math.sqrt(mean) : mean), n: Math.round(sum.n) }
    }
  }
}

/**
 * The differences other than 0, which are −1 or 1, as a sum of wins: 1 for a win, else 0. Σx² is their number, and
 * Σx² + Σx is twice the wins. Rows count as fractions of their exchange.
 */
export function winsIn({ sum, sumSq }: Sum): Sum {
  const wins = (sumSq + sum) / 2
  return { n: sumSq, sum: wins, sumSq: wins, min: 0, max: 1 }
}

/** Clips to the observed range, as a bin's value may lie slightly outside it. */
function withinExtremes(value: number | null, measure: string, { sums }: Evidence): number | null {
  const sum = sums.get(measure)
  if (value === null || sum === undefined) return value
  return Math.min(sum.max, Math.max(sum.min, value))
}
