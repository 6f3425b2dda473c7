import type { MetricsView } from '../../vocabulary/api.ts'
import type { OutputKind } from '../../vocabulary/output-mapping.ts'
import type { Evidence } from './evidence.ts'
import { type BinScale, histogramOf, sharedHistogram } from './shared-histogram.ts'

/** Each exchange's own value of which the named metric is the mean, where rollups keep its histogram. */
const apartByKind: Record<OutputKind, { metric: string; measure: string; scale: BinScale } | null> = {
  regression: { metric: 'mae', measure: 'absError', scale: 'ratio' },
  classification: null,
  embedding: { metric: 'cosineDistance', measure: 'cosineDistance', scale: 'ratio' },
  detection: { metric: 'f1', measure: 'f1', scale: 'width' },
  text: { metric: 'editSimilarity', measure: 'editSimilarity', scale: 'width' },
  json: { metric: 'fieldsEqual', measure: 'fieldsEqual', scale: 'width' },
}

/** Values, scores and vectors' lengths; boxes, characters and fields are counted. */
const outputScales: Record<OutputKind, BinScale> = {
  regression: 'width',
  classification: 'width',
  embedding: 'width',
  detection: 'whole',
  text: 'whole',
  json: 'whole',
}

/** The histograms of both sides' latency, and of the request's way to them. */
export function latencyDistributionsOf({ distributionOf }: Evidence) {
  return {
    latency: sharedHistogram(distributionOf('latency.primary'), distributionOf('latency.candidate'), 'ratio'),
    latencyDelta: histogramOf(distributionOf('latency.delta'), 'width'),
    queue: histogramOf(distributionOf('latency.queue'), 'ratio'),
  }
}

/** The histograms of one output's answers. */
export function outputDistributionsOf(
  kind: OutputKind,
  { distributionOf }: Evidence,
): Pick<MetricsView['distributions'], 'output' | 'apart'> {
  const apart = apartByKind[kind]
  const histogram = apart && histogramOf(distributionOf(apart.measure), apart.scale)
  return {
    output: sharedHistogram(distributionOf('output.primary'), distributionOf('output.candidate'), outputScales[kind]),
    apart: apart && histogram && { metric: apart.metric, ...histogram },
  }
}
