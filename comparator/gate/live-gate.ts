import type { Verdict } from '../../vocabulary/gate.ts'
import type { LiveCheck, LiveCounts, LiveEvidence, LiveGate } from '../../vocabulary/live-gate.ts'
import type { GateCheck } from '../../vocabulary/policy.ts'
import type { Milliseconds } from '../../vocabulary/units.ts'
import { pairedDifferenceLower } from '../statistics/paired-difference.ts'
import { proportionSequence } from '../statistics/proportion-sequence.ts'
import { allOf } from './judge.ts'
import { spellCount, spellNumber, spellPercent } from './spell-number.ts'

/** What the live gate tolerates. What is absent is not judged. Shares are in [0, 1]. */
export interface LiveLimits {
  /** Of the candidate's answers to clients. */
  errorRateMax?: number
  /** The candidate's error rate less the primary's, over the same requests. */
  errorRateDeltaMax: number
  latencyP95Max?: Milliseconds
  latencyP99Max?: Milliseconds
  /** Answers that must have been seen in a step before the next. */
  samplesMin: number
}

const errorRateDeltaDefault = 0.01

/** The config's limits; what it leaves out comes from the gate's own checks that have a say. */
export function liveLimitsOf(guard: Partial<LiveLimits>, gate: readonly GateCheck[]): LiveLimits {
  const maxOf = (metric: string) =>
    gate
      .filter(
        (check) => check.metric === metric && check.slice === undefined && !check.reportOnly && check.max !== undefined,
      )
      .reduce<number | undefined>((least, { max }) => Math.min(least ?? max!, max!), undefined)
  const limits: LiveLimits = {
    errorRateDeltaMax: guard.errorRateDeltaMax ?? maxOf('errorRate.delta') ?? errorRateDeltaDefault,
    samplesMin: guard.samplesMin ?? 1,
  }
  const errorRateMax = guard.errorRateMax ?? maxOf('errorRate.candidate')
  const latencyP95Max = guard.latencyP95Max ?? maxOf('latency.candidate.p95')
  const latencyP99Max = guard.latencyP99Max ?? maxOf('latency.candidate.p99')
  if (errorRateMax !== undefined) limits.errorRateMax = errorRateMax
  if (latencyP95Max !== undefined) limits.latencyP95Max = latencyP95Max
  if (latencyP99Max !== undefined) limits.latencyP99Max = latencyP99Max
  return limits
}

/**
 * Judges what clients got. A check fails where the whole bound lies beyond its limit, is undecided while the share itself
 * does and where there is no answer, and passes else: the window's gate has shown before that the candidate is good, this one looks for harm. Bounds are
 * confidence sequences (`proportion-sequence.ts`, `paired-difference.ts`), α = (1 − confidence) ÷ checks, so that looking twice
 * a second for hours does not end a rollout by chance. A quantile q ≤ L is judged as "at most 1 − q took longer than L".
 */
export function judgeLive(input: {
  evidence: LiveEvidence
  limits: LiveLimits
  confidence: number
  /** False where nobody could have delivered live evidence: then its absence says nothing. */
  isExpected: boolean
  since: string
}): LiveGate {
  const { evidence, limits, confidence, isExpected, since } = input
  const { live, all } = evidence
  const shares: ((alpha: number) => LiveCheck)[] = [
    (alpha) => judgeDelta('errorRate.delta', live, limits.errorRateDeltaMax, alpha),
    (alpha) => judgeDelta('errorRate.delta.allTraffic', all, limits.errorRateDeltaMax, alpha),
  ]
  const { errorRateMax, latencyP95Max, latencyP99Max } = limits
  if (errorRateMax !== undefined) {
    const { n, errors } = live.candidate
    shares.push((alpha) => judgeShare('errorRate.candidate', { k: errors, n, max: errorRateMax, alpha }))
  }
  const { n, overP95, overP99 } = live.latency
  if (latencyP95Max !== undefined) shares.push((alpha) => judgeQuantile('p95', latencyP95Max, overP95, n, 0.05, alpha))
  if (latencyP99Max !== undefined) shares.push((alpha) => judgeQuantile('p99', latencyP99Max, overP99, n, 0.01, alpha))

  const alpha = (1 - confidence) / shares.length
  const samplesMin = isExpected ? limits.samplesMin : 0
  const samples = live.candidate.n
  const judgedShares = shares.map((judge) => judge(alpha))
  const checks = [judgeSamples(samples, samplesMin, isExpected), ...judgedShares]
  const verdict = allOf(checks.map((check) => check.verdict))
  const doubts = judgedShares.filter((check) => check.verdict === 'inconclusive' && check.n > 0)
  // a quiet service has nothing to show, and a step that waits for it would wait for ever
  const holds = verdict !== 'pass' && (verdict === 'fail' || samples < samplesMin || doubts.length > 0)
  const telling =
    (samples >= samplesMin && verdict === 'inconclusive' ? doubts[0] : undefined) ??
    checks.find((check) => check.verdict === verdict)!
  const reason =
    verdict === 'pass' ? `All ${checks.length} live checks hold over ${spellCount(samples)} answers.` : telling.text
  return { since, samples, verdict, holds, reason, checks }
}

function judgeSamples(n: number, min: number, isExpected: boolean): LiveCheck {
  const verdict: Verdict = n > 0 && n >= min ? 'pass' : 'inconclusive'
  const base = { metric: 'samples', share: null, lower: null, limit: min, n, verdict }
  if (n > 0 || min > 0)
    return { ...base, text: `live answers seen: ${spellCount(n)}, needed ${spellCount(min)} → ${verdict}` }
  const why = isExpected ? 'guard.samplesMin is 0' : 'no mirror reports here with a primary that shadows'
  return {
    ...base,
    text: `No live answer seen, and none needed (${why}): the window’s gate alone decides → ${verdict}`,
  }
}

/** The candidate's error rate less the primary's: the difference of two shares of the same pairs. */
function judgeDelta(metric: string, { pairs }: LiveCounts, max: number, alpha: number): LiveCheck {
  const { n, candidateAlone, primaryAlone } = pairs
  const share = n === 0 ? null : (candidateAlone - primaryAlone) / n
  const lower = pairedDifferenceLower({ up: candidateAlone, down: primaryAlone, n }, alpha)
  return judged(metric, { share, lower, max, limit: max, n, what: 'more errors than the primary' })
}

function judgeShare(metric: string, { k, n, max, alpha }: { k: number; n: number; max: number; alpha: number }) {
  const lower = proportionSequence(k, n, alpha)?.lower ?? null
  return judged(metric, { share: n === 0 ? null : k / n, lower, max, limit: max, n, what: 'errors' })
}

function judgeQuantile(name: string, limitMs: Milliseconds, over: number, n: number, max: number, alpha: number) {
  const lower = proportionSequence(over, n, alpha)?.lower ?? null
  const what = `took longer than ${spellNumber(limitMs)} ms`
  return judged(`latency.candidate.${name}`, { share: n === 0 ? null : over / n, lower, max, limit: limitMs, n, what })
}

function judged(
  metric: string,
  of: { share: number | null; lower: number | null; max: number; limit: number; n: number; what: string },
): LiveCheck {
  const { share, lower, max, limit, n, what } = of
  const verdict: Verdict =
    lower !== null && lower > max ? 'fail' : share !== null && share <= max ? 'pass' : 'inconclusive'
  const seen =
    share === null
      ? 'no answer yet'
      : `${spellPercent(share)} ${what}, at least ${spellPercent(Math.max(0, lower ?? 0))}`
  const text = `${metric}: ${seen}; limit ≤ ${spellPercent(max)}, n = ${spellCount(n)} → ${verdict}`
  return { metric, share, lower, limit, n, verdict, text }
}
