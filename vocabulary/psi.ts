import { type Static, Type } from 'typebox'
import { named } from './schema.ts'

const psiParts = {
  psi: Type.Number(),
  primary: Type.Array(Type.Number()),
  candidate: Type.Array(Type.Number()),
  parts: Type.Array(Type.Number()),
}

/**
 * `outputDrift.psi` in its parts, which add up to it: of predicted classes, the greatest part first (at most 100), or of
 * the ten bins at the primary's deciles, whose outer two are open: `edges` are the nine between them.
 */
export const PsiParts = Type.Union([
  named('PsiOfClasses', { by: Type.Literal('class'), labels: Type.Array(Type.String()), ...psiParts }),
  named('PsiOfDeciles', { by: Type.Literal('decile'), edges: Type.Array(Type.Number()), ...psiParts }),
])
export type PsiParts = Static<typeof PsiParts>
