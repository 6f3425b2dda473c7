/** The prefix of metric names of a validation's further output: `outputs.NAME.mae`. */
export function outputPrefix(output: string): string {
  return output === '' ? '' : `outputs.${output}.`
}

/** `outputs.NAME.mae` → NAME and `mae`; the main output is ''. */
export function splitMetric(name: string): { output: string; metric: string } {
  const found = /^outputs\.([^.]+)\.(.+)$/.exec(name)
  return found ? { output: found[1]!, metric: found[2]! } : { output: '', metric: name }
}

/**
 * The path of a metric in the tree of totals. It is nested like the name, unless a part of the name is a number itself:
 * `mae.primary` is at `maeTruth.primary` since `mae` is a number, and `cosine.p01` at `cosineQuantiles.p01`.
 */
export function treePathOf(name: string): string[] {
  const { output, metric } = splitMetric(name)
  const path = metric
    .replace(/^mae\./, 'maeTruth.')
    .replace(/^(cosine|cosineDistance|f1|editSimilarity|fieldsEqual)\./, '$1Quantiles.')
    .split('.')
  return output === '' ? path : ['outputs', output, ...path]
}
