import type { PsiParts } from '../../../../../vocabulary/api/psi.ts'
import type { Unit } from '../../metrics/metric-info.ts'
import { binNames } from './bin-names.ts'

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
export function psiRows(psi: PsiParts, unit: Unit): PsiRow[] {
  const names = psi.by === 'class' ? psi.labels : binNames(psi.edges, unit)
  const rows = psi.parts.map((part, key) => ({
    key,
    name: names[key]!,
    primary: psi.primary[key]!,
    candidate: psi.candidate[key]!,
    part,
    share: psi.psi > 0 ? part / psi.psi : 0,
  }))
  return rows.filter(({ primary, candidate }) => primary > 0 || candidate > 0)
}
