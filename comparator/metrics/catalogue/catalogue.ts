import { outputPrefix } from '../../../vocabulary/metric-path.ts'
import type { OutputKind } from '../../../vocabulary/output-kind.ts'
import type { Policy } from '../../../vocabulary/policy.ts'
import { type Evidence, evidenceUnder } from '../evidence/evidence.ts'
import type { Functional } from './functional.ts'
import { functionalsOf } from './functionals.ts'
import { type QuantileMetric, quantileMetricsOf } from './quantile-metrics.ts'
import { confidenceSize, latencySize, outputSize, squaredValueSize, type UnseenSize, valueSize } from './unseen-size.ts'

/** How a metric is estimated and bounded. */
export type Metric =
  /**
   * Σsum/Σn of a measure. `support` is the range of each value; `size` limits unseen values, as far as that is known.
   */
  | { kind: 'mean'; measure: string; support: Support; size?: UnseenSize }
  /** For a measure that is a difference of −1, 0 or 1: the share of 1 among the values other than 0. */
  | { kind: 'wins'; measure: string }
  /** The square root of a mean. */
  | { kind: 'rootMean'; measure: string; size: UnseenSize }
  /** The greatest value of a measure. */
  | { kind: 'maximum'; measure: string }
  | ({ kind: 'quantile' } & QuantileMetric)
  | ({ kind: 'functional' } & Functional)
  /** Known exactly, from the exchanges. */
  | { kind: 'coverage' | 'samples' }
  /**
   * Known exactly: the share of exchanges counted by `compared` that `labelled` counts too; rows count as fractions.
   */
  | { kind: 'labelCoverage'; compared: string; labelled: string }

/**
 * `share`: [0, 1]. `cosine`: [−1, 1]. `cosineDistance`: [0, 2]. `paired`: −1, 0 or 1, the difference of two paired
 * shares.
 */
export type Support = 'real' | 'nonNegative' | 'share' | 'cosine' | 'cosineDistance' | 'paired'

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

/** The own metrics of a kind of output, over the measures with this prefix. */
function ofOutput(kind: OutputKind, prefix: string): [string, Metric][] {
  const elsewhere = new Set([...(truthMetrics[kind] ?? []), ...commonMetrics].map(([name]) => name))
  const own = [...catalogueOfKinds(kind, [])].filter(([name]) => !elsewhere.has(name) && !name.startsWith('latency.'))
  return own.map(([name, metric]) => [prefix + name, underPrefix(metric, prefix)])
}

function underPrefix(metric: Metric, prefix: string): Metric {
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
    case 'labelCoverage':
      return metric
    case 'quantile':
      return { ...metric, name: prefix + metric.name, values: prefix + metric.values }
    case 'functional':
      return { kind: 'functional', ...functionalUnderPrefix(metric, prefix) }
    case 'mean':
    case 'rootMean': {
      const { size } = metric
      const measure = prefix + metric.measure
      if (size === undefined) return { ...metric, measure }
      return { ...metric, measure, size: { ...size, measures: size.measures.map((of) => prefix + of) } }
    }
    default:
      return { ...metric, measure: prefix + metric.measure }
  }
}

function functionalUnderPrefix(functional: Functional, prefix: string): Functional {
  const { name, sums, estimate, samples, unseen, most, hasOthers, heldOut } = functional
  const under = (evidence: Evidence) => evidenceUnder(evidence, prefix)
  return {
    ...functional,
    name: prefix + name,
    sums: sums.map((measure) => prefix + measure),
    estimate: (evidence) => estimate(under(evidence)),
    samples: (evidence, growth) => samples(under(evidence), growth),
    unseen: (evidence, ...seen) => unseen(under(evidence), ...seen),
    ...(most && { most: functionalUnderPrefix(most, prefix) }),
    ...(hasOthers && { hasOthers: (evidence) => hasOthers(under(evidence)) }),
    ...(heldOut && { heldOut: (evidence, rest) => heldOut(under(evidence), under(rest)) }),
  }
}

export function isOutputKind(kind: unknown): kind is OutputKind {
  return typeof kind === 'string' && Object.hasOwn(metricsByKind, kind)
}
