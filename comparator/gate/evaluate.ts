import type { CheckResult, RecentBound } from '../../vocabulary/api/gate.ts'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import type { EpochMs, Milliseconds } from '../../vocabulary/units.ts'
import { evidenceChecks, type Verdict } from '../../vocabulary/verdict.ts'
import { evidenceMetrics } from '../metrics/catalogue/catalogue.ts'
import { type Estimator, estimatorOf } from '../metrics/estimates/estimator.ts'
import { type Exchanges, exchangesOf } from '../metrics/evidence/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { spellFailures } from './failures-behind.ts'
import type { Pace } from './forecast.ts'
import { asImplied, impliedCheck } from './implied-check.ts'
import { allOf, type Judged } from './judge.ts'
import {
  type Freshness,
  judgeAge,
  judgeCoverage,
  judgeDuration,
  judgeHoursOfWeek,
  judgeSamples,
} from './judge-evidence.ts'
import { judgeLabelCoverage } from './judge-label-coverage.ts'
import { judgeMetric } from './judge-metric.ts'
import { judgeRecent, type Recent, recentOf } from './judge-recent.ts'
import { judgeRelative, type RelativeInput } from './judge-relative.ts'
import { spellCount, spellDuration } from './spell-number.ts'

export interface GateInput {
  policy: Policy
  range: RollupRange
  exchanges: Exchanges
  /** How long evidence has been gathered; the duration check passes at the policy's `window.duration`. */
  spannedMs: Milliseconds
  /** Set where the policy limits the age of the newest compared exchange; absent before the first. */
  freshness?: Freshness | undefined
  /** The primary compared with itself over the same time, if the policy names a noise floor. */
  noiseFloor?: (Evidence & { slices?: Record<string, Evidence> }) | undefined
  /** The slices that the policy's checks are about, by key. */
  slices?: Record<string, Evidence>
}

type Evidence = NonNullable<RelativeInput['noiseFloor']>

export interface GateVerdict {
  verdict: Verdict
  /** One sentence that names the first failing or inconclusive check. */
  reason: string
  /**
   * The policy's checks in their order, then the built-in ones: samples, duration, coverage, everyHourOfWeek, age,
   * errorRate.delta.
   */
  checks: CheckResult[]
}

/** Judges a window: the policy's checks, and whether there is enough evidence for them to mean anything. */
export function evaluateGate(input: GateInput): GateVerdict {
  const { policy, range, exchanges, spannedMs } = input
  const all = partOf(input, range.to)
  const ownChecks = policy.gate.filter(({ metric, reportOnly }) => reportOnly || !evidenceMetrics.includes(metric))
  const window: Pace = { spannedMs, durationMs: policy.window.duration }
  const samples = judgeSamples(policy, exchanges, window)
  const pace = { ...window, growthMin: (samples.result.limit.min ?? 0) / Math.max(1, exchanges.compared) }
  const own = ownChecks.map((check) => {
    if (check.slice === undefined) return judgeCheck(check, all, pace)
    return inSlice(check.slice, judgeCheck(check, partOf(inputOfSlice(input, check.slice), range.to), pace))
  })
  const evidence = [
    samples,
    judgeDuration(exchanges, window),
    judgeCoverage(policy, exchanges),
    ...(policy.window.everyHourOfWeek ? [judgeHoursOfWeek(range, exchanges)] : []),
    ...(policy.window.ageMax === undefined ? [] : [judgeAge(policy.window.ageMax, input.freshness, exchanges)]),
  ]
  const unasked = impliedCheck(policy)
  const implied = unasked ? [asImplied(judgeCheck(unasked, all, pace))] : []
  const isMeaningful = ownChecks.some(({ metric, reportOnly }) => !reportOnly && !evidenceChecks.includes(metric))
  const binding = [...evidence, ...own, ...implied].filter(({ result }) => !result.reportOnly)
  const verdict = allOf([...binding.map(({ result }) => result.verdict), ...(isMeaningful ? [] : noSay)])
  const isMute = verdict === 'inconclusive' && !isMeaningful
  const deciding = verdict === 'pass' || isMute ? undefined : binding.find(({ result }) => result.verdict === verdict)
  const checks = [...own, ...evidence, ...implied].map(
    (judged): CheckResult => (judged === deciding ? { ...judged.result, decides: true } : judged.result),
  )
  return { verdict, reason: `${reasonFor({ deciding, isMute, binding }, exchanges, range.to)}.`, checks }
}

/** All traffic or one slice, with its newest evidence. */
interface Part {
  input: RelativeInput
  estimator: Estimator
  recent: Recent | null
}

function partOf(input: RelativeInput, to: EpochMs): Part {
  return { input, estimator: estimatorOf(input.policy, input.range, input.exchanges), recent: recentOf(input, to) }
}

function judgeCheck(check: GateCheck, { input, estimator, recent }: Part, pace: Pace): Judged {
  if (check.metric === 'labelCoverage') return judgeLabelCoverage(check, estimator)
  if (evidenceMetrics.includes(check.metric)) return judgeMetric(check, input.policy, estimator, pace)
  const judged =
    check.relativeTo === undefined
      ? judgeMetric(check, input.policy, estimator, pace)
      : judgeRelative({ ...check, relativeTo: check.relativeTo }, input, estimator, pace)
  return judgeRecent(judged, check, estimator, recent)
}

/** The input of one slice. A slice without evidence is empty, and hence inconclusive. */
function inputOfSlice({ policy, range, slices, noiseFloor }: GateInput, key: string): RelativeInput {
  const emptyRange = { ...range, buckets: [], groups: [] }
  const empty = { range: emptyRange, exchanges: exchangesOf(emptyRange, []) }
  return { policy, ...(slices?.[key] ?? empty), noiseFloor: noiseFloor?.slices?.[key] }
}

function inSlice(slice: string, { result, reason }: Judged): Judged {
  const { metric, ...rest } = result
  return { result: { metric, slice, ...rest, text: `${slice}: ${result.text}` }, reason: `${slice}: ${reason}` }
}

const noSay: Verdict[] = ['inconclusive']

interface Decision {
  /** The first check with the verdict that the gate has; `undefined` if it passes. */
  deciding: Judged | undefined
  /** Whether nothing fails, but no binding check is about the model. */
  isMute: boolean
  binding: Judged[]
}

function reasonFor({ deciding, isMute, binding }: Decision, exchanges: Exchanges, to: EpochMs): string {
  if (isMute) return 'The policy has no binding check of the model, so the gate cannot pass'
  if (deciding !== undefined) return `${deciding.reason}${mostlyFailed(deciding, binding, exchanges)}`
  const passed = `All ${binding.length} checks pass over ${spellCount(exchanges.compared)} exchanges`
  const lengths = binding.flatMap(({ result: { recent } }) =>
    recent && isBounded(recent) ? to - Date.parse(recent.from) : [],
  )
  if (lengths.length === 0) return passed
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)].map(spellDuration)
  const last = shortest === longest ? shortest : `${shortest} to ${longest}`
  return `${passed}, and none fails on its last ${last} alone`
}

/** What a wait for more evidence would hide: most of it is the candidate's failures, as where its mapping is wrong. */
function mostlyFailed({ result: { metric } }: Judged, binding: Judged[], { compared }: Exchanges): string {
  if (!evidenceChecks.includes(metric)) return ''
  const failures = binding.map(({ result }) => result.failures).find((found) => found && found.n * 2 > compared)
  return failures ? `; ${spellFailures(failures)}` : ''
}

const isBounded = ({ lower, upper }: RecentBound) => lower !== null || upper !== null
