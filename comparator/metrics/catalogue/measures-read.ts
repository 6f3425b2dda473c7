import { sizeClasses } from '../../../vocabulary/size-class.ts'
import { exchangeMeasure, unlabelledRowsMeasure } from '../measures.ts'
import type { Metric } from './metric.ts'
import { binsBehind } from './quantile-metrics.ts'

/** The measures to read, by name; for histograms `null` means all. */
export interface MeasuresRead {
  sums: string[]
  hasCells: boolean
  bins: string[] | null
}

/** The measures that a metric is computed from, with those that count exchanges. */
export function measuresOf(metric: Metric): MeasuresRead {
  const counts = sizeClasses.map(exchangeMeasure)
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
      return { sums: counts, hasCells: false, bins: [] }
    case 'labelCoverage':
      return { sums: [...counts, metric.compared, metric.labelled, unlabelledRowsMeasure], hasCells: false, bins: [] }
    case 'functional':
      return {
        sums: [...counts, ...metric.sums],
        hasCells: metric.from === 'cells',
        bins: metric.from === 'bins' ? null : [],
      }
    case 'quantile':
      return { sums: [...counts, metric.values], hasCells: false, bins: [binsBehind(metric)] }
    case 'mean':
    case 'rootMean':
      return { sums: [...counts, metric.measure, ...(metric.size?.measures ?? [])], hasCells: false, bins: [] }
    default:
      return { sums: [...counts, metric.measure], hasCells: false, bins: [] }
  }
}
