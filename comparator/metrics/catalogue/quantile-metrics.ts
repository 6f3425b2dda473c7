import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import { splitMetric } from '../../../vocabulary/metric-path.ts'
import { complementOf, type Distribution } from '../../statistics/distribution.ts'

/** A metric that is a quantile of a histogram, such as `latency.candidate.p99`. */
export interface QuantileMetric {
  name: string
  /** The measure whose values have the quantile. */
  values: string
  /** In (0, 1). */
  q: number
}

export const quantileSuffixes = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const

/** Quantiles of similarities, for which low is bad. */
const lowSuffixes = { p01: 0.01, p05: 0.05, p10: 0.1, p50: 0.5 } as const

type Quantiles = [values: string, suffixes: Record<string, number>]

const latencies = ['latency.primary', 'latency.candidate', 'latency.delta', 'latency.queue'].map(
  (values): Quantiles => [values, quantileSuffixes],
)
const quantilesByKind: Record<OutputKind, Quantiles[]> = {
  regression: [...latencies, ['absError', quantileSuffixes]],
  classification: latencies,
  embedding: [...latencies, ['cosine', lowSuffixes], ['cosineDistance', quantileSuffixes]],
  detection: [...latencies, ['f1', lowSuffixes]],
  text: [...latencies, ['editSimilarity', lowSuffixes]],
  json: [...latencies, ['fieldsEqual', lowSuffixes]],
}

export function quantileMetricsOf(kind: OutputKind): QuantileMetric[] {
  return quantilesByKind[kind].flatMap(([values, suffixes]) =>
    Object.entries(suffixes).map(([suffix, q]) => ({ name: `${values}.${suffix}`, values, q })),
  )
}

const isOfCosines = ({ values }: QuantileMetric) => splitMetric(values).metric === 'cosine'

/**
 * The measure whose bins are used: bins are 1 % of a value wide, too coarse for cosines, which nearly all lie near 1.
 */
export const binsBehind = (metric: QuantileMetric) => (isOfCosines(metric) ? `${metric.values}Distance` : metric.values)

/** The part of `Evidence` that is needed here. */
interface Distributions {
  distributionOf(measure: string): Distribution
}

/** The distribution that the metric is a quantile of. */
export function distributionBehind(metric: QuantileMetric, evidence: Distributions): Distribution {
  const found = evidence.distributionOf(binsBehind(metric))
  return isOfCosines(metric) ? complementOf(found) : found
}
