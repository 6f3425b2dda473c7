export const outputKinds = ['regression', 'classification', 'embedding', 'detection', 'text', 'json'] as const
export type OutputKind = (typeof outputKinds)[number]

/** The headline metric of each kind of output. */
export const mainMetrics: Record<OutputKind, string> = {
  regression: 'mae',
  classification: 'agreement',
  embedding: 'cosine',
  detection: 'f1',
  text: 'editSimilarity',
  json: 'fieldsEqual',
}
