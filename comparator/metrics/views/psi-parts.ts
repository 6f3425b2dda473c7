import type { PsiParts } from '../../../vocabulary/api/psi.ts'
import type { OutputKind } from '../../../vocabulary/mapping/output-kind.ts'
import { populationStability, stabilityParts } from '../../statistics/population-stability.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { classShares, valueShares } from '../evidence/shares-of-answers.ts'

const psiClassesMax = 100

/** The parts of `outputDrift.psi` for this kind of output; `null` without answers of both sides. */
export function psiPartsOf(kind: OutputKind, evidence: Evidence): PsiParts | null {
  return kind === 'classification' ? partsOfClasses(evidence) : partsOfDeciles(kind, evidence)
}

function partsOfClasses({ sums }: Evidence): PsiParts | null {
  const shares = classShares(sums)
  if (shares === null) return null
  const parts = stabilityParts(shares.a, shares.b)
  const order = parts
    .map((_, i) => i)
    .sort((i, j) => parts[j]! - parts[i]! || shares.a[j]! - shares.a[i]!)
    .slice(0, psiClassesMax)
  const inOrder = <Value>(values: Value[]) => order.map((i) => values[i]!)
  return {
    by: 'class',
    psi: populationStability(shares.a, shares.b),
    labels: inOrder(shares.labels),
    primary: inOrder(shares.a),
    candidate: inOrder(shares.b),
    parts: inOrder(parts),
  }
}

function partsOfDeciles(kind: OutputKind, evidence: Evidence): PsiParts | null {
  const shares = valueShares(kind, evidence)
  if (shares === null) return null
  return {
    by: 'decile',
    psi: populationStability(shares.a, shares.b),
    edges: shares.edges,
    primary: shares.a,
    candidate: shares.b,
    parts: stabilityParts(shares.a, shares.b),
  }
}
