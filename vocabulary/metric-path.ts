/**
 * Where a metric stands in a tree of totals: as its name is nested, except where a part of the name is a number itself:
 * `mae.primary` at `maeTruth.primary` since `mae` is one, and `cosine.p01` at `cosineQuantiles.p01`.
 */
export function treePathOf(name: string): string[] {
  return name
    .replace(/^mae\./, 'maeTruth.')
    .replace(/^(cosine|cosineDistance|f1|editSimilarity|tokenF1|fieldsEqual)\./, '$1Quantiles.')
    .split('.')
}
