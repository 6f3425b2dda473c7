import { outputPrefix, splitMetric } from '../../vocabulary/metric-path.ts'

/** The primary's metric that answers to a candidate's: its own name where there is none. */
export function primaryOf(name: string): string {
  const { output, metric } = splitMetric(name)
  return outputPrefix(output) + metric.replace('.candidate', '.primary')
}
