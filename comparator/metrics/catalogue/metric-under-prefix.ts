import { type Evidence, evidenceUnder } from '../evidence/evidence.ts'
import type { Functional } from './functional.ts'
import type { Metric } from './metric.ts'

/** The same metric of a further output, over the measures with this prefix. */
export function metricUnderPrefix(metric: Metric, prefix: string): Metric {
  switch (metric.kind) {
    case 'samples':
    case 'coverage':
    case 'labelCoverage':
      return metric
    case 'quantile':
      return { ...metric, name: prefix + metric.name, values: prefix + metric.values }
    case 'functional':
      return { kind: 'functional', ...functionalUnderPrefix(metric, prefix) }
    case 'mean':
    case 'rootMean': {
      const { size } = metric
      const measure = prefix + metric.measure
      if (size === undefined) return { ...metric, measure }
      return { ...metric, measure, size: { ...size, measures: size.measures.map((of) => prefix + of) } }
    }
    default:
      return { ...metric, measure: prefix + metric.measure }
  }
}

function functionalUnderPrefix(functional: Functional, prefix: string): Functional {
  const { name, sums, estimate, smooth, samples, unseen, most, hasOthers, heldOut } = functional
  const under = (evidence: Evidence) => evidenceUnder(evidence, prefix)
  return {
    ...functional,
    name: prefix + name,
    sums: sums.map((measure) => prefix + measure),
    estimate: (evidence) => estimate(under(evidence)),
    samples: (evidence, growth) => samples(under(evidence), growth),
    unseen: (evidence, ...seen) => unseen(under(evidence), ...seen),
    ...(smooth && { smooth: (evidence) => smooth(under(evidence)) }),
    ...(most && { most: functionalUnderPrefix(most, prefix) }),
    ...(hasOthers && { hasOthers: (evidence) => hasOthers(under(evidence)) }),
    ...(heldOut && { heldOut: (evidence, rest) => heldOut(under(evidence), under(rest)) }),
  }
}
