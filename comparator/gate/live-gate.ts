import { sum } from 'simple-statistics'
import type { LiveCheck, LiveEvidence, LiveGate, LiveSecond } from '../../vocabulary/api/live-gate.ts'
import type { GateCheck } from '../../vocabulary/policy.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import type { Verdict } from '../../vocabulary/verdict.ts'
import { changedMeanLower } from '../statistics/changed-mean.ts'
import { allOf } from './judge.ts'
import { spellCount, spellCounted, spellExact, spellExactPercent, spellPercent } from './spell-number.ts'

/** What the live gate tolerates. Undefined limits are not judged. Shares are in [0, 1]. */
export interface LiveLimits {
  /** Share of errors in the candidate's answers to clients. */
  errorRateMax?: number | undefined
  /** The candidate's error rate less the primary's, over the same requests. */
  errorRateDeltaMax: number
  latencyP95Max?: Milliseconds | undefined
  latencyP99Max?: Milliseconds | undefined
  /** Answers needed in a step before the next may begin. */
  samplesMin: number
}

const errorRateDeltaDefault = 0.01

/** The limits of the config's guard; those left out come from the gate's binding checks. */
export function liveLimitsOf(guard: Partial<LiveLimits>, gate: readonly GateCheck[]): LiveLimits {
  const maxOf = (metric: string) => {
    const binding = gate.filter((check) => check.metric === metric && check.slice === undefined && !check.reportOnly)
    const limits = binding.flatMap(({ max }) => max ?? [])
    return limits.length === 0 ? undefined : Math.min(...limits)
  }
  return {
    errorRateMax: guard.errorRateMax ?? maxOf('errorRate.candidate'),
    errorRateDeltaMax: guard.errorRateDeltaMax ?? maxOf('errorRate.delta') ?? errorRateDeltaDefault,
    latencyP95Max: guard.latencyP95Max ?? maxOf('latency.candidate.p95'),
    latencyP99Max: guard.latencyP99Max ?? maxOf('latency.candidate.p99'),
    samplesMin: guard.samplesMin ?? 1,
  }
}

/** A share of answers that must not exceed `max`. */
interface LiveShare {
  metric: string
  seconds: readonly LiveSecond[]
  /** `bad` counts against the candidate, `good` for it. */
  count: (second: LiveSecond) => { bad: number; good?: number; n: number }
  /** The unit of evidence. For latency it is a second, since one pause delays all answers that wait in it. */
  unit: 'answer' | 'second'
  max: number
  /** The limit as configured; in ms for a quantile. */
  limit: number
  what: string
}

/**
 * Judges what clients got. This gate looks for harm: the window's gate has shown already that the candidate is good. So
 * a check fails where the whole bound lies beyond its limit, is inconclusive where only the share itself does or there
 * is no answer, and passes otherwise. Bounds hold at all times at once (`changed-mean.ts`) with α = (1 − confidence) ÷
 * checks, so that looking twice a second for hours does not end a rollout by chance. A limit L on quantile q is judged
 * as "at most 1 − q took longer than L".
 */
export function judgeLive(input: {
  evidence: LiveEvidence
  limits: LiveLimits
  confidence: number
  /** False where nobody could have delivered live evidence, so that its absence means nothing. */
  isExpected: boolean
  since: string
}): LiveGate {
  const { evidence, limits, confidence, isExpected, since } = input
  const { samples } = evidence
  const shares = sharesOf(evidence, limits)
  const alpha = (1 - confidence) / shares.length
  const samplesMin = isExpected ? limits.samplesMin : 0
  const judgedShares = shares.map((share) => judgeShare(share, alpha))
  const checks = [judgeSamples(samples, samplesMin, isExpected), ...judgedShares]
  const verdict = allOf(checks.map((check) => check.verdict))
  const doubts = judgedShares.filter((check) => check.verdict === 'inconclusive' && check.n > 0)
  // beyond the required samples, checks without evidence do not hold a step, which might then wait for ever
  const holds = verdict !== 'pass' && (verdict === 'fail' || samples < samplesMin || doubts.length > 0)
  const deciding =
    (samples >= samplesMin && verdict === 'inconclusive' ? doubts[0] : undefined) ??
    checks.find((check) => check.verdict === verdict)!
  const reason =
    verdict === 'pass'
      ? `All ${checks.length} live checks hold over ${spellCounted(samples, 'answer')}.`
      : deciding.text
  return { since, samples, verdict, holds, reason, checks }
}

function sharesOf({ live, all }: LiveEvidence, limits: LiveLimits): LiveShare[] {
  const { errorRateMax, errorRateDeltaMax, latencyP95Max, latencyP99Max } = limits
  const delta = {
    count: ({ pairs }: LiveSecond) => ({ bad: pairs.candidateAlone, good: pairs.primaryAlone, n: pairs.n }),
    unit: 'answer' as const,
    max: errorRateDeltaMax,
    limit: errorRateDeltaMax,
    what: 'more errors than the primary',
  }
  const shares: LiveShare[] = [
    { metric: 'errorRate.delta', seconds: live, ...delta },
    { metric: 'errorRate.delta.allTraffic', seconds: all, ...delta },
  ]
  if (errorRateMax !== undefined) {
    shares.push({
      metric: 'errorRate.candidate',
      seconds: live,
      count: ({ candidate }) => ({ bad: candidate.errors, n: candidate.n }),
      unit: 'answer',
      max: errorRateMax,
      limit: errorRateMax,
      what: 'errors',
    })
  }
  const longer = (metric: string, limit: Milliseconds, max: number, over: 'overP95' | 'overP99'): LiveShare => ({
    metric,
    seconds: live,
    count: ({ latency }) => ({ bad: latency[over], n: latency.n }),
    unit: 'second',
    max,
    limit,
    what: `took longer than ${spellExact(limit)} ms`,
  })
  if (latencyP95Max !== undefined) shares.push(longer('latency.candidate.p95', latencyP95Max, 0.05, 'overP95'))
  if (latencyP99Max !== undefined) shares.push(longer('latency.candidate.p99', latencyP99Max, 0.01, 'overP99'))
  return shares
}

function judgeSamples(n: number, min: number, isExpected: boolean): LiveCheck {
  const verdict: Verdict = n > 0 && n >= min ? 'pass' : 'inconclusive'
  const base = { metric: 'samples', share: null, lower: null, limit: min, n, verdict }
  if (n > 0 || min > 0) {
    return { ...base, text: `live answers seen: ${spellCount(n)}, needed ${spellCount(min)} → ${verdict}` }
  }
  const why = isExpected ? 'guard.samplesMin is 0' : 'no mirror reports here, or the primary does not shadow'
  return {
    ...base,
    text: `No live answer seen, and none needed (${why}): the window’s gate alone decides → ${verdict}`,
  }
}

function judgeShare({ metric, seconds, count, unit, max, limit, what }: LiveShare, alpha: number): LiveCheck {
  const counted = seconds.map((second) => ({ at: second.second, good: 0, ...count(second) })).filter(({ n }) => n > 0)
  const n = sum(counted.map((second) => second.n))
  const share = n === 0 ? null : sum(counted.map(({ bad, good }) => bad - good)) / n
  const seen = counted.map(({ at, bad, good, n }) => ({
    at,
    values:
      unit === 'second'
        ? [{ value: (bad - good) / n, times: 1 }]
        : [
            { value: 1, times: bad },
            { value: -1, times: good },
            { value: 0, times: n - bad - good },
          ],
  }))
  const lower = changedMeanLower(seen, alpha)
  const verdict: Verdict =
    lower !== null && lower > max ? 'fail' : share !== null && share <= max ? 'pass' : 'inconclusive'
  const atLeast = share !== null && lower !== null && lower > share ? 'at some point at least' : 'at least'
  const spelt =
    share === null
      ? 'no answer yet'
      : `${spellPercent(share, { max })} ${what}, ${atLeast} ${spellPercent(lower ?? 0, { max })}`
  const text = `${metric}: ${spelt}; limit ≤ ${spellExactPercent(max)}, n = ${spellCount(n)} → ${verdict}`
  return { metric, share, lower, limit, n, verdict, text }
}
