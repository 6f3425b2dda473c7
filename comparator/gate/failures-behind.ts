import type { Failures } from '../../vocabulary/api/gate.ts'
import type { Bounded } from '../../vocabulary/bounded.ts'
import { outputPrefix, splitMetric } from '../../vocabulary/metric-path.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import { mismatchesOf } from '../metrics/contributions/observation-contribution.ts'
import type { Estimator } from '../metrics/estimates/estimator.ts'
import { evidenceUnder } from '../metrics/evidence/evidence.ts'
import { failedMeasurePrefix, statusMeasure, unmappedMeasure } from '../metrics/measures.ts'
import { policyOfOutput } from '../metrics/policy-of-output.ts'
import type { Sums } from '../statistics/sums.ts'
import { spellCounted } from './spell-number.ts'
import { spellFailure, thatSide } from './spell-reason.ts'

/**
 * The candidate's failures, if they make up at least half of its errors or mismatches by this metric. An error rate of
 * 1 or an agreement of 0 alone would not reveal that, say, no answer had the field that the mapping names.
 */
export function failuresBehind(
  name: string,
  { estimate, n }: Bounded,
  policy: Policy,
  { evidence }: Estimator,
): Failures | null {
  const { output, metric } = splitMetric(name)
  const isErrorRate = metric === 'errorRate.candidate' || metric === 'errorRate.delta'
  if (estimate === null || !(isErrorRate || mismatchesOf(policyOfOutput(policy, output).output).includes(metric))) {
    return null
  }
  // an answer counts as an error if any of its outputs is missing
  const outputs = isErrorRate ? ['', ...Object.keys(policy.outputs ?? {})] : [output]
  const failures = outputs
    .map((of) => failuresIn(evidenceUnder(evidence, outputPrefix(of)).sums))
    .reduce((most, other) => (other.n > most.n ? other : most))
  const heldAgainst = isErrorRate ? estimate : 1 - estimate
  return heldAgainst > 0 && failures.n >= heldAgainst * n * 0.5 ? failures : null
}

function failuresIn(sums: Sums): Failures {
  const countsUnder = (prefix: string) =>
    [...sums]
      .flatMap(([measure, { n }]) => (measure.startsWith(prefix) ? [{ name: measure.slice(prefix.length), n }] : []))
      .sort((a, b) => b.n - a.n)
  const reasons = countsUnder(failedMeasurePrefix)
  const [most] = reasons
  const n = reasons.reduce((all, reason) => all + reason.n, 0)
  const prefix = { unmapped: unmappedMeasure('candidate', ''), status: statusMeasure('candidate', '') }[
    most?.name ?? ''
  ]
  const found = prefix && countsUnder(prefix).find(({ name }) => !reasonsOfTheirOwn.includes(name))
  return { n, reason: most?.name ?? '', ofReason: most?.n ?? 0, ...(found && { found: found.name }) }
}

/** Found by the mapping, but not for want of an answer. */
const reasonsOfTheirOwn = ['zeroVector', 'dimensions']

export function spellFailures({ n, reason, ofReason, found }: Failures): string {
  const mostly = ofReason === n ? '' : 'mostly '
  return `the candidate failed in ${spellCounted(n, 'exchange')}, ${mostly}because ${spellFailure(thatSide, reason, found)}`
}
