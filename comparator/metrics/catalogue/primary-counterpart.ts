import { outputPrefix, splitMetric } from '../../../vocabulary/metric-path.ts'

/** The primary's counterpart of a candidate's metric; the same name if there is none. */
export function primaryOf(name: string): string {
  const { output, metric } = splitMetric(name)
  return outputPrefix(output) + metric.replace('.candidate', '.primary')
}
