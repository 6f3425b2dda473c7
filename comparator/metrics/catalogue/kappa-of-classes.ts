import { agreementOf, type Confusion, kappa, kappaWithin } from '../../statistics/kappa.ts'
import { proportionSequence } from '../../statistics/proportion-sequence.ts'
import type { Sums } from '../../statistics/sums.ts'
import { confusionIn, othersIn } from '../evidence/confusion-in.ts'
import { exchangesBehind } from '../evidence/exchanges-behind.ts'
import { rowsMeasure } from '../measures.ts'
import { otherName } from '../name-sample.ts'
import type { Functional } from './functional.ts'

function kappaFrom(confusionOf: (sums: Sums) => Confusion): Functional {
  return {
    name: 'kappa',
    from: 'cells',
    sums: [rowsMeasure],
    least: -1,
    greatest: 1,
    samplesMin: 0,
    estimate: ({ sums }) => kappa(confusionOf(sums)),
    samples: ({ sums }, growth = 1) => exchangesBehind(confusionIn(sums).total, sums) * growth,
    unseen: ({ sums }, _, { n, alpha }) => {
      const confusion = confusionOf(sums)
      return kappaWithin(confusion, proportionSequence(agreementOf(confusion) * n, n, alpha)!)
    },
  }
}

/**
 * Others count as one class, which agrees by chance more often than they would apart: kappa is at least this. In `most`
 * they never agree by chance.
 */
export const kappaOfClasses: Functional = {
  ...kappaFrom(confusionIn),
  most: kappaFrom((sums) => {
    const confusion = confusionIn(sums)
    return { ...confusion, rows: new Map(confusion.rows).set(otherName, 0) }
  }),
  hasOthers: ({ sums }) => {
    const { primary, candidate } = othersIn(confusionIn(sums))
    return primary > 0 && candidate > 0
  },
}
