import type { CheckResult, Verdict } from '../../vocabulary/gate.ts'
import type { Policy } from '../../vocabulary/policy.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { estimatorOf } from '../metrics/estimate.ts'
import type { Exchanges } from '../metrics/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import type { Pace } from './forecast.ts'
import { allOf } from './judge.ts'
import { evidenceMetrics, judgeCoverage, judgeDuration, judgeHoursOfWeek, judgeSamples } from './judge-evidence.ts'
import { judgeFailures } from './judge-failures.ts'
import { judgeMetric } from './judge-metric.ts'
import { judgeRelative, type RelativeInput } from './judge-relative.ts'
import type { Judged } from './judged.ts'
import { spellCount } from './spell-number.ts'

export interface GateInput {
  policy: Policy
  range: RollupRange
  exchanges: Exchanges
  /** How long evidence has been gathered; the check passes at the policy's `window.duration`. */
  spannedMs: Milliseconds
  /** The primary against itself over the same time, where the policy names a validation that measures it. */
  noiseFloor?: RelativeInput['noiseFloor']
}
export interface GateVerdict {
  verdict: Verdict
  /** One sentence that names the first failing or undecided thing. */
  reason: string
  /** The policy's checks in their order, then the built-in: samples, duration, coverage, everyHourOfWeek, errorRate.delta. */
  checks: CheckResult[]
}

/** Judges a window: the policy's checks, and that there is enough evidence for them to mean something. */
export function evaluateGate(input: GateInput): GateVerdict {
  const { policy, range, exchanges, spannedMs } = input
  const estimator = estimatorOf(policy, range, exchanges)
  const ownChecks = policy.gate.filter(({ metric, reportOnly }) => reportOnly || !evidenceMetrics.includes(metric))
  const pace: Pace = { spannedMs, durationMs: policy.window.duration }
  const own = ownChecks.map((check) =>
    check.relativeTo === undefined
      ? judgeMetric(check, policy, estimator, pace)
      : judgeRelative({ ...check, relativeTo: check.relativeTo }, input, estimator, pace),
  )
  const evidence = [
    judgeSamples(policy, exchanges, pace),
    judgeDuration(exchanges, pace),
    judgeCoverage(policy, exchanges),
    ...(policy.window.everyHourOfWeek ? [judgeHoursOfWeek(range, exchanges)] : []),
  ]
  const failures = judgeFailures(policy, estimator, pace)
  const implied = failures ? [failures] : []
  const checks = [...own, ...evidence, ...implied].map(({ result }) => result)

  const isMeaningful = ownChecks.some(({ reportOnly }) => !reportOnly)
  const binding = [...evidence, ...own, ...implied].filter(({ result }) => !result.reportOnly)
  const verdict = allOf([...binding.map(({ result }) => result.verdict), ...(isMeaningful ? [] : noSay)])
  return { verdict, reason: `${reasonFor(verdict, binding, isMeaningful, exchanges)}.`, checks }
}

const noSay: Verdict[] = ['inconclusive']

function reasonFor(verdict: Verdict, binding: Judged[], isMeaningful: boolean, exchanges: Exchanges): string {
  if (verdict === 'pass') return `All ${binding.length} checks pass over ${spellCount(exchanges.compared)} exchanges`
  if (verdict === 'inconclusive' && !isMeaningful) {
    return 'The policy has no check of the model that has a say, so nothing can pass'
  }
  return binding.find(({ result }) => result.verdict === verdict)!.reason
}
