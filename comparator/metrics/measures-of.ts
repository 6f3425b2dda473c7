import { sizeClasses } from '../../vocabulary/coverage.ts'
import type { Metric } from './catalogue.ts'
import { exchangeMeasure } from './measures.ts'

/** What a metric is made of, and how much there is of it; `null` where that is known only by looking at all measures. */
export function measuresOf(metric: Metric): string[] | null {
  const counts = sizeClasses.map(exchangeMeasure)
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
      return counts
    case 'functional':
      return null
    case 'quantile':
      return [...counts, metric.values]
    default:
      return [...counts, metric.measure]
  }
}
