/** The primary's metric that answers to a candidate's: its own name where there is none. */
export function primaryOf(metric: string): string {
  return metric.replace('.candidate', '.primary')
}
