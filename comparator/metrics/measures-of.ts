import { sizeClasses } from '../../vocabulary/coverage.ts'
import type { Metric } from './catalogue.ts'
import { exchangeMeasure } from './measures.ts'

/** `null`: any. */
export interface MeasuresRead {
  sums: string[] | null
  bins: string[] | null
}

/** What a metric is made of, and how much there is of it. */
export function measuresOf(metric: Metric): MeasuresRead {
  const counts = sizeClasses.map(exchangeMeasure)
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
      return { sums: counts, bins: [] }
    case 'functional':
      return metric.from === 'sums' ? { sums: null, bins: [] } : { sums: counts, bins: null }
    case 'quantile':
      return { sums: [...counts, metric.values], bins: [metric.values] }
    default:
      return { sums: [...counts, metric.measure], bins: [] }
  }
}
