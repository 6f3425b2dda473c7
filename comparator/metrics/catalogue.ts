import type { OutputKind } from '../../vocabulary/output-mapping.ts'
import { type Functional, functionalsOf } from './functionals.ts'
import { type QuantileMetric, quantileMetricsOf } from './quantile-metrics.ts'

/** How a metric is estimated, and hence bounded. */
export type Metric =
  /** Σsum/Σn of a measure. `support` is where each value lies, as far as it is known. */
  | { kind: 'mean'; measure: string; support: Support }
  /** Of the pairs whose measure, a difference of −1, 0 or 1, is not 0: the share in which it is 1. */
  | { kind: 'wins'; measure: string }
  /** √ of a mean. */
  | { kind: 'rootMean'; measure: string }
  /** The greatest value of a measure. */
  | { kind: 'maximum'; measure: string }
  | ({ kind: 'quantile' } & QuantileMetric)
  | ({ kind: 'functional' } & Functional)
  /** Known exactly, from the exchanges. */
  | { kind: 'coverage' | 'samples' }

/** `share`: [0, 1]. `paired`: −1, 0 or 1, the difference of two paired shares. */
export type Support = 'real' | 'nonNegative' | 'share' | 'paired'

const mean = (measure: string, support: Support): Metric => ({ kind: 'mean', measure, support })

const commonMetrics: [string, Metric][] = [
  ['samples', { kind: 'samples' }],
  ['coverage', { kind: 'coverage' }],
  ['errorRate.primary', mean('errorRate.primary', 'share')],
  ['errorRate.candidate', mean('errorRate.candidate', 'share')],
  ['errorRate.delta', mean('errorRate.delta', 'paired')],
  ['latency.primary.mean', mean('latency.primary', 'nonNegative')],
  ['latency.candidate.mean', mean('latency.candidate', 'nonNegative')],
  ['latency.delta.mean', mean('latency.delta', 'real')],
  ['latency.slower', mean('latency.slower', 'share')],
]

const metricsByKind: Record<OutputKind, [string, Metric][]> = {
  regression: [
    ['mae', mean('absError', 'nonNegative')],
    ['rmse', { kind: 'rootMean', measure: 'squaredError' }],
    ['bias', mean('bias', 'real')],
    ['maxAbsError', { kind: 'maximum', measure: 'maxAbsError' }],
    ['mae.primary', mean('mae.primary', 'nonNegative')],
    ['mae.candidate', mean('mae.candidate', 'nonNegative')],
    ['mae.drift', mean('mae.drift', 'real')],
  ],
  classification: [
    ['agreement', mean('agreement', 'share')],
    ['topKOverlap', mean('topKOverlap', 'share')],
    ['scoreMae', mean('scoreMae', 'nonNegative')],
    ['jsDivergence', mean('jsDivergence', 'nonNegative')],
    ['accuracy.primary', mean('accuracy.primary', 'share')],
    ['accuracy.candidate', mean('accuracy.candidate', 'share')],
    ['accuracy.drift', mean('accuracy.drift', 'paired')],
    ['accuracy.won', { kind: 'wins', measure: 'accuracy.drift' }],
  ],
  embedding: [
    ['cosine', mean('cosine', 'real')],
    ['cosineDistance', mean('cosineDistance', 'nonNegative')],
  ],
  detection: [
    ['f1', mean('f1', 'share')],
    ['precision', mean('precision', 'share')],
    ['recall', mean('recall', 'share')],
    ['meanIou', mean('meanIou', 'share')],
    ['countDelta', mean('countDelta', 'real')],
    ['countError', mean('countError', 'nonNegative')],
    ['scoreMae', mean('scoreMae', 'nonNegative')],
  ],
  text: [
    ['exactMatch', mean('exactMatch', 'share')],
    ['normalisedMatch', mean('normalisedMatch', 'share')],
    ['editSimilarity', mean('editSimilarity', 'share')],
    ['tokenF1', mean('tokenF1', 'share')],
  ],
  json: [
    ['documentsEqual', mean('documentsEqual', 'share')],
    ['fieldsEqual', mean('fieldsEqual', 'share')],
    ['missingFields', mean('missingFields', 'nonNegative')],
    ['extraFields', mean('extraFields', 'nonNegative')],
    ['typeChanges', mean('typeChanges', 'nonNegative')],
    ['valueChanges', mean('valueChanges', 'nonNegative')],
  ],
}

const catalogues = new Map<OutputKind, Map<string, Metric>>()

/** Every metric of this kind of output that has a bound, by name. */
export function catalogueOf(kind: OutputKind): Map<string, Metric> {
  let catalogue = catalogues.get(kind)
  if (catalogue === undefined) {
    catalogue = new Map([
      ...metricsByKind[kind],
      ...commonMetrics,
      ...quantileMetricsOf(kind).map((metric): [string, Metric] => [metric.name, { kind: 'quantile', ...metric }]),
      ...functionalsOf(kind).map((metric): [string, Metric] => [metric.name, { kind: 'functional', ...metric }]),
    ])
    catalogues.set(kind, catalogue)
  }
  return catalogue
}

export function isOutputKind(kind: unknown): kind is OutputKind {
  return typeof kind === 'string' && Object.hasOwn(metricsByKind, kind)
}

/** The metrics that a gate's check may name, for this kind of output. */
export function metricNames(kind: OutputKind): string[] {
  return [...catalogueOf(kind).keys()]
}

export function isMetricName(name: string, kind: OutputKind): boolean {
  return catalogueOf(kind).has(name)
}
