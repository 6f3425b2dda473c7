import type { PsiParts } from '../../../../../vocabulary/api/psi.ts'

export interface PsiRow {
  key: number
  name: string
  primary: number
  candidate: number
  /** Contribution to the index. */
  part: number
  /** Share of the index. */
  share: number
}

/**
 * The index's bins or classes in order, with names. For counts, deciles may coincide; empty bins between them are
 * omitted.
 */
export function psiRows(psi: PsiParts, format: (value: number) => string): PsiRow[] {
  const rows = psi.parts.map((part, key) => ({
    key,
    name: psi.by === 'class' ? psi.labels[key]! : binName(psi.edges, key, format),
    primary: psi.primary[key]!,
    candidate: psi.candidate[key]!,
    part,
    share: psi.psi > 0 ? part / psi.psi : 0,
  }))
  return rows.filter(({ primary, candidate }) => primary > 0 || candidate > 0)
}

/** A value on an edge belongs to the bin above it. */
function binName(edges: readonly number[], index: number, format: (value: number) => string): string {
  const [from, to] = [edges[index - 1], edges[index]]
  if (from === undefined) return `under ${format(to!)}`
  return to === undefined ? `from ${format(from)}` : `${format(from)} to ${format(to)}`
}
