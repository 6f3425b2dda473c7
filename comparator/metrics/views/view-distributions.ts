import type { MetricsView } from '../../../vocabulary/api/metrics.ts'
import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { type BinScale, histogramOf, type Sample, sharedHistogram } from './shared-histogram.ts'

/** The per-exchange measure whose mean is the named metric, if rollups keep its histogram. */
const apartByKind: Record<OutputKind, { metric: string; measure: string; scale: BinScale } | null> = {
  regression: { metric: 'mae', measure: 'absError', scale: 'ratio' },
  classification: null,
  embedding: { metric: 'cosineDistance', measure: 'cosineDistance', scale: 'ratio' },
  detection: { metric: 'f1', measure: 'f1', scale: 'width' },
  text: { metric: 'editSimilarity', measure: 'editSimilarity', scale: 'width' },
  json: { metric: 'fieldsEqual', measure: 'fieldsEqual', scale: 'width' },
}

/** Values, scores and lengths of vectors by width; counts of boxes, characters and fields by whole numbers. */
const outputScales: Record<OutputKind, BinScale> = {
  regression: 'width',
  classification: 'width',
  embedding: 'width',
  detection: 'whole',
  text: 'whole',
  json: 'whole',
}

/** The histograms of both sides' latency, of their difference and of time in the queue. */
export function latencyDistributionsOf(evidence: Evidence) {
  const sampleOf = samplesIn(evidence)
  return {
    latency: sharedHistogram(sampleOf('latency.primary'), sampleOf('latency.candidate'), 'ratio'),
    latencyDelta: histogramOf(sampleOf('latency.delta'), 'width'),
    queue: histogramOf(sampleOf('latency.queue'), 'ratio'),
  }
}

/** The histograms of one output's answers. */
export function outputDistributionsOf(
  kind: OutputKind,
  evidence: Evidence,
): Pick<MetricsView['distributions'], 'output' | 'apart'> {
  const sampleOf = samplesIn(evidence)
  const apart = apartByKind[kind]
  const histogram = apart && histogramOf(sampleOf(apart.measure), apart.scale)
  return {
    output: sharedHistogram(sampleOf('output.primary'), sampleOf('output.candidate'), outputScales[kind]),
    apart: apart && histogram && { metric: apart.metric, ...histogram },
  }
}

function samplesIn({ sums, distributionOf }: Evidence): (measure: string) => Sample {
  return (measure) => ({ ...distributionOf(measure), min: sums.get(measure)?.min, max: sums.get(measure)?.max })
}
