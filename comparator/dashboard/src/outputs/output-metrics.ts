import type { OutputKind } from '../../../../vocabulary/output-kind.ts'

const drift = ['outputDrift.psi', 'outputDrift.ks', 'outputDrift.js', 'outputDrift.wasserstein']

/** What a reader wants to know of each kind of output, the plainest first; the rest is in the page's list of metrics. */
const byKind: Record<OutputKind, string[]> = {
  regression: ['mae', 'rmse', 'bias', 'maxAbsError', 'absError.p95', 'absError.p99', 'pearson', 'ccc', ...drift],
  // the first two are measured where a model may give several labels, and the top one is the least of it there
  classification: ['labelF1', 'labelsEqual', 'agreement', 'kappa', 'topKOverlap', 'scoreMae', 'jsDivergence', ...drift],
  embedding: ['cosine', 'cosine.p01', 'cosine.p05', 'cosineDistance.p95', 'cosineDistance.p99', ...drift],
  detection: ['f1', 'f1.p05', 'precision', 'recall', 'meanIou', 'scoreMae', 'countDelta', 'countError', ...drift],
  text: ['exactMatch', 'normalisedMatch', 'editSimilarity', 'editSimilarity.p05', 'tokenF1', ...drift],
  json: [
    'documentsEqual',
    'fieldsEqual',
    'fieldsEqual.p05',
    'missingFields',
    'extraFields',
    'typeChanges',
    'valueChanges',
    ...drift,
  ],
}

/** `output`: the name of a further output, '' of the main one. */
export function outputMetrics(kind: OutputKind, output: string): string[] {
  return byKind[kind].map((name) => metricOf(output, name))
}

export function metricOf(output: string, name: string): string {
  return output === '' ? name : `outputs.${output}.${name}`
}

/** What `distributions.output` counts. */
export const outputTitles: Record<OutputKind, string> = {
  regression: 'Distribution of values',
  classification: 'Distribution of top scores',
  embedding: 'Distribution of the vectors’ lengths',
  detection: 'Distribution of boxes per answer',
  text: 'Distribution of characters per answer',
  json: 'Distribution of fields per answer',
}

/** What `distributions.apart` counts: each pair’s own distance, or likeness. */
export const apartTitles: Record<OutputKind, string> = {
  regression: 'Absolute difference, pair by pair',
  classification: '',
  embedding: 'Cosine distance, pair by pair',
  detection: 'F1 of boxes, pair by pair',
  text: 'Edit similarity, pair by pair',
  json: 'Share of fields equal, pair by pair',
}
