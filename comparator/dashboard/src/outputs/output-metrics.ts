import type { OutputKind } from '../../../../vocabulary/mapping/output-kind.ts'

const drift = ['outputDrift.psi', 'outputDrift.ks', 'outputDrift.js', 'outputDrift.wasserstein']

/** The most useful metrics of each kind of output, simplest first; the page's list of metrics has the rest. */
const byKind: Record<OutputKind, string[]> = {
  regression: ['mae', 'rmse', 'bias', 'maxAbsError', 'absError.p95', 'absError.p99', 'pearson', 'ccc', ...drift],
  // the first two exist for models that may give several labels, where the top label alone says little
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

/** `output`: the name of another output; '' for the main one. */
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

/** What `distributions.apart` counts: the distance, or similarity, of each observation's answers. */
export const apartTitles: Record<OutputKind, string> = {
  regression: 'Absolute difference, pair by pair',
  classification: '',
  embedding: 'Cosine distance, pair by pair',
  detection: 'F1 of boxes, pair by pair',
  text: 'Edit similarity, pair by pair',
  json: 'Share of fields equal, pair by pair',
}
