import type { MetricTree } from '../../../../vocabulary/api/metrics.ts'
import { formatMs, formatShare, formatTimes } from '../format/number.ts'
import type { LatencyQuantile } from '../metrics/latency-quantiles.ts'
import { valueAt } from '../metrics/value-at.ts'

/** A summary of the figures in one sentence; `null` unless both sides have figures. */
export function latencySentence(totals: MetricTree, quantile: LatencyQuantile): string | null {
  const primary = valueAt(totals, `latency.primary.${quantile}`)
  const candidate = valueAt(totals, `latency.candidate.${quantile}`)
  const slower = valueAt(totals, 'latency.slower')
  if (primary === null || candidate === null) return null
  const head = `At ${quantile} the candidate takes ${formatMs(candidate)}, the primary ${formatMs(primary)}`
  const times = primary > 0 ? `: ${formatTimes(candidate / primary)} times as long` : ''
  const tail = slower === null ? '' : ` The candidate was slower in ${formatShare(slower)} of the exchanges.`
  return `${head}${times}.${tail}`
}
