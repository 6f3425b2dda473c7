import { splitMetric } from '../../vocabulary/metric-path.ts'
import type { SlicesView } from '../../vocabulary/slices.ts'

export type Better = SlicesView['better']

const higher =
  /^(agreement|topKOverlap|labelF1|labelsEqual|kappa|pearson|ccc|cosine|f1|precision|recall|meanIou|exactMatch|normalisedMatch|editSimilarity|tokenF1|documentsEqual|fieldsEqual|accuracy|coverage|labelCoverage|samples)(\.|$)/
const zero = /^(bias|countDelta)$/

/** Which way a metric is better; `zero`: the nearer to 0. Whatever is not a likeness is a distance, a time or an error. */
export function betterOf(name: string): Better {
  const { metric } = splitMetric(name)
  if (zero.test(metric)) return 'zero'
  return higher.test(metric) ? 'higher' : 'lower'
}

/** How bad a value is: greater is worse. */
export function badnessOf(value: number, better: Better): number {
  if (better === 'zero') return Math.abs(value)
  return better === 'higher' ? -value : value
}
