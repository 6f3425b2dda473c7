import { type Static, Type } from 'typebox'
import { Num, named, namedUnion, Texts } from '../schema.ts'

const Shares = (description: string) => Type.Array(Type.Number(), { description })
const psiParts = {
  psi: Num('`outputDrift.psi`, the sum of `parts`'),
  primary: Shares("each one's share of the primary's answers, in [0, 1]"),
  candidate: Shares("each one's share of the candidate's answers, in [0, 1]"),
  parts: Shares("each one's contribution"),
}

export const PsiParts = namedUnion('PsiParts', '`outputDrift.psi`, split into its parts.', [
  named('PsiOfClasses', 'By predicted class, the greatest part first.', {
    by: Type.Literal('class'),
    labels: Texts('the classes, at most 100'),
    ...psiParts,
  }),
  named('PsiOfDeciles', "By ten bins at the primary's deciles; the outer two are open-ended.", {
    by: Type.Literal('decile'),
    edges: Type.Array(Type.Number(), { description: 'the nine between the bins, ascending' }),
    ...psiParts,
  }),
])
export type PsiParts = Static<typeof PsiParts>
