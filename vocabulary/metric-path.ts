/** The beginning of the names of what belongs to one of a validation's further outputs: `outputs.NAME.mae`. */
export function outputPrefix(output: string): string {
  return output === '' ? '' : `outputs.${output}.`
}

/** `outputs.NAME.mae` → NAME and `mae`; of the main output's metrics the output is ''. */
export function splitMetric(name: string): { output: string; metric: string } {
  const found = /^outputs\.([^.]+)\.(.+)$/.exec(name)
  return found ? { output: found[1]!, metric: found[2]! } : { output: '', metric: name }
}

/**
 * Where a metric stands in a tree of totals: as its name is nested, except where a part of the name is a number itself:
 * `mae.primary` at `maeTruth.primary` since `mae` is one, and `cosine.p01` at `cosineQuantiles.p01`.
 */
export function treePathOf(name: string): string[] {
  const { output, metric } = splitMetric(name)
  const path = metric
    .replace(/^mae\./, 'maeTruth.')
    .replace(/^(cosine|cosineDistance|f1|editSimilarity|tokenF1|fieldsEqual)\./, '$1Quantiles.')
    .split('.')
  return output === '' ? path : ['outputs', output, ...path]
}
