import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import { outputPrefix } from '../../../vocabulary/metric-path.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { correlations } from './correlations.ts'
import type { Functional } from './functional.ts'
import { kappaOfClasses } from './kappa-of-classes.ts'
import { latencyRatios } from './latency-ratios.ts'
import type { Metric, Support } from './metric.ts'
import { metricUnderPrefix } from './metric-under-prefix.ts'
import { outputDriftOf } from './output-drift.ts'
import { quantileMetricsOf } from './quantile-metrics.ts'
import { confidenceSize, latencySize, outputSize, squaredValueSize, type UnseenSize, valueSize } from './unseen-size.ts'

/** Known for all traffic only. A policy's checks of these tighten a built-in check. */
export const evidenceMetrics = ['samples', 'coverage']

const mean = (measure: string, support: Support, size?: UnseenSize): Metric => ({
  kind: 'mean',
  measure,
  support,
  ...(size && { size }),
})

const commonMetrics: [string, Metric][] = [
  ['samples', { kind: 'samples' }],
  ['coverage', { kind: 'coverage' }],
  ['errorRate.primary', mean('errorRate.primary', 'share')],
  ['errorRate.candidate', mean('errorRate.candidate', 'share')],
  ['errorRate.delta', mean('errorRate.delta', 'paired')],
  ['latency.primary.mean', mean('latency.primary', 'nonNegative', latencySize)],
  ['latency.candidate.mean', mean('latency.candidate', 'nonNegative', latencySize)],
  ['latency.delta.mean', mean('latency.delta', 'real', latencySize)],
  ['latency.slower', mean('latency.slower', 'share')],
  ['latency.queue.mean', mean('latency.queue', 'nonNegative', latencySize)],
]

const metricsByKind: Record<OutputKind, [string, Metric][]> = {
  regression: [
    ['mae', mean('absError', 'nonNegative', valueSize)],
    ['rmse', { kind: 'rootMean', measure: 'squaredError', size: squaredValueSize }],
    ['bias', mean('bias', 'real', valueSize)],
    ['maxAbsError', { kind: 'maximum', measure: 'maxAbsError' }],
  ],
  classification: [
    ['agreement', mean('agreement', 'share')],
    ['topKOverlap', mean('topKOverlap', 'share')],
    ['scoreMae', mean('scoreMae', 'nonNegative', outputSize)],
    ['jsDivergence', mean('jsDivergence', 'share')],
    ['labelF1', mean('labelF1', 'share')],
    ['labelsEqual', mean('labelsEqual', 'share')],
  ],
  embedding: [
    ['cosine', mean('cosine', 'cosine')],
    ['cosineDistance', mean('cosineDistance', 'cosineDistance')],
  ],
  detection: [
    ['f1', mean('f1', 'share')],
    ['precision', mean('precision', 'share')],
    ['recall', mean('recall', 'share')],
    ['meanIou', mean('meanIou', 'share')],
    ['countDelta', mean('countDelta', 'real', outputSize)],
    ['countError', mean('countError', 'nonNegative', outputSize)],
    ['scoreMae', mean('scoreMae', 'nonNegative', confidenceSize)],
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
    ['missingFields', mean('missingFields', 'nonNegative', outputSize)],
    ['extraFields', mean('extraFields', 'nonNegative', outputSize)],
    ['typeChanges', mean('typeChanges', 'nonNegative', outputSize)],
    ['valueChanges', mean('valueChanges', 'nonNegative', outputSize)],
  ],
}

/** Metrics against ground truth. Labels exist for a validation's main output only. */
const truthMetrics: Partial<Record<OutputKind, [string, Metric][]>> = {
  regression: [
    ['mae.primary', mean('mae.primary', 'nonNegative', valueSize)],
    ['mae.candidate', mean('mae.candidate', 'nonNegative', valueSize)],
    ['mae.drift', mean('mae.drift', 'real', valueSize)],
    ['labelCoverage', { kind: 'labelCoverage', compared: 'absError', labelled: 'mae.primary' }],
  ],
  classification: [
    ['accuracy.primary', mean('accuracy.primary', 'share')],
    ['accuracy.candidate', mean('accuracy.candidate', 'share')],
    ['accuracy.drift', mean('accuracy.drift', 'paired')],
    ['accuracy.won', { kind: 'wins', measure: 'accuracy.drift' }],
    ['labelCoverage', { kind: 'labelCoverage', compared: 'agreement', labelled: 'accuracy.primary' }],
  ],
}

/** Whether a metric depends on labels, which often arrive late, and for some exchanges sooner than for others. */
export const isOfTruth = (name: string, { output }: Policy) =>
  truthMetrics[output.kind]?.some(([metric]) => metric === name) ?? false

/** Whether a metric is about the amount of evidence, not about the model. */
export const isOfEvidence = ({ kind }: Metric) => kind === 'samples' || kind === 'coverage' || kind === 'labelCoverage'

const functionalsByKind: Partial<Record<OutputKind, Functional[]>> = {
  regression: correlations,
  classification: [kappaOfClasses],
}

export type Catalogue = ReadonlyMap<string, Metric>
const catalogues = new WeakMap<Policy, Catalogue>()

/** All metrics with a bound of a policy's outputs, by name. */
export function catalogueOf(policy: Policy): Catalogue {
  return catalogues.getOrInsertComputed(policy, ({ output, outputs }) => {
    const kinds = Object.entries(outputs ?? {}).map(([name, { kind }]): [string, OutputKind] => [name, kind])
    return catalogueOfKinds(output.kind, kinds)
  })
}

/** The same by the kinds of the main and the further outputs. Latencies and errors belong to the answer as a whole. */
export function catalogueOfKinds(kind: OutputKind, outputs: Iterable<[name: string, OutputKind]>): Catalogue {
  return new Map([
    ...metricsByKind[kind],
    ...(truthMetrics[kind] ?? []),
    ...commonMetrics,
    ...quantileMetricsOf(kind).map((metric): [string, Metric] => [metric.name, { kind: 'quantile', ...metric }]),
    ...functionalsOf(kind).map((metric): [string, Metric] => [metric.name, { kind: 'functional', ...metric }]),
    ...[...outputs].flatMap(([name, kind]) => ofOutput(kind, outputPrefix(name))),
  ])
}

export function functionalsOf(kind: OutputKind): Functional[] {
  return [...(functionalsByKind[kind] ?? []), ...latencyRatios, ...outputDriftOf(kind)]
}

/** The own metrics of a kind of output, over the measures with this prefix. */
function ofOutput(kind: OutputKind, prefix: string): [string, Metric][] {
  const elsewhere = new Set([...(truthMetrics[kind] ?? []), ...commonMetrics].map(([name]) => name))
  const own = [...catalogueOfKinds(kind, [])].filter(([name]) => !elsewhere.has(name) && !name.startsWith('latency.'))
  return own.map(([name, metric]) => [prefix + name, metricUnderPrefix(metric, prefix)])
}

export function isOutputKind(kind: unknown): kind is OutputKind {
  return typeof kind === 'string' && Object.hasOwn(metricsByKind, kind)
}
