import type { CheckResult } from '../../../vocabulary/api/gate.ts'
import { type DecidingCheck, sparklinePointsMax } from '../../../vocabulary/api/glance.ts'
import type { Policy, RelativeTo } from '../../../vocabulary/policy.ts'
import type { Milliseconds } from '../../../vocabulary/units.ts'
import { decidingCheck } from '../../gate/deciding-check.ts'
import { primaryOf } from '../../metrics/catalogue/primary-counterpart.ts'
import { estimatorOf } from '../../metrics/estimates/estimator.ts'
import { relationOf } from '../../metrics/estimates/relate-metrics.ts'
import { splitBySteps } from '../../metrics/evidence/cut-range.ts'
import { exchangesOf } from '../../metrics/evidence/exchanges.ts'
import { groupWidth, type RollupRange } from '../../metrics/rollup-range.ts'
import type { JudgedEvidence } from './read-evidence.ts'

/** The deciding check with a sparkline over the window, from the judged evidence alone: nothing more is read. */
export function viewDeciding(
  policy: Policy,
  checks: readonly CheckResult[],
  evidence: JudgedEvidence,
): DecidingCheck | null {
  const check = decidingCheck(checks)
  if (check === null) return null
  const { text: _text, reportOnly: _reportOnly, ...deciding } = check
  const { range, noiseFloor } = evidence
  const stepMs = stepOf(range)
  const floors = noiseFloor ? splitBySteps({ ...noiseFloor.range, from: range.from, to: range.to }, stepMs) : []
  const steps = splitBySteps(range, stepMs)
  const values = isOfASlice(check) ? [] : steps.map((step, i) => valueAt(policy, check, step, floors[i]))
  const from = new Date(steps[0]?.from ?? range.from).toISOString()
  return { ...deciding, sparkline: { from, stepMs, values } }
}

/** A step of the sparkline: one group of histograms, or as many as keep it within `sparklinePointsMax`. */
function stepOf(range: RollupRange): Milliseconds {
  const groupMs = groupWidth(range)
  const stepsAt = (width: Milliseconds) => Math.ceil(range.to / width) - Math.floor(range.from / width)
  let stepMs = groupMs
  while (stepsAt(stepMs) > sparklinePointsMax) stepMs += groupMs
  return stepMs
}

/** Such checks get no sparkline: the rollups of slices are not in the evidence at hand. */
const isOfASlice = (check: CheckResult) => 'slice' in check && check.slice !== undefined && check.slice !== ''

function valueAt(policy: Policy, { metric, relative }: CheckResult, step: RollupRange, floor?: RollupRange) {
  const own = estimateOf(policy, metric, step)
  const referenceTo = (to: RelativeTo) =>
    to === 'primary' ? estimateOf(policy, primaryOf(metric), step) : floor ? estimateOf(policy, metric, floor) : null
  const value = relative === undefined ? own : relationOf(own, referenceTo(relative.to), relative.by)
  // a sparkline a few dozen pixels high shows no more digits
  return value === null ? null : Number(value.toPrecision(5))
}

function estimateOf(policy: Policy, metric: string, step: RollupRange): number | null {
  if (step.buckets.length === 0) return null
  return estimatorOf(policy, step, exchangesOf(step, [])).estimate(metric).estimate
}
