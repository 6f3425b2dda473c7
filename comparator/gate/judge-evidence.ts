import type { CheckResult } from '../../vocabulary/api/gate.ts'
import type { GateCheck, Policy } from '../../vocabulary/policy.ts'
import { type SizeClass, sizeClasses, sizeWords } from '../../vocabulary/size-class.ts'
import { type EpochMs, hourMs, type Milliseconds } from '../../vocabulary/units.ts'
import { chosenOf, coverageOf, type Exchanges, hasCompared, leftOutByChoice } from '../metrics/evidence/exchanges.ts'
import type { RollupRange } from '../metrics/rollup-range.ts'
import { forecastCount, type Pace } from './forecast.ts'
import type { Judged } from './judge.ts'
import { judgeKnown } from './judge-known.ts'
import { spellCount, spellDuration, spellExactPercent, spellMinute, spellPercent } from './spell-number.ts'
import { spellSkip } from './spell-reason.ts'

/** Size classes with a smaller share of the traffic, or fewer exchanges, are not judged by themselves. */
const classShareMin = 0.01
const classExchangesMin = 30

/** Judges the number of samples. Too few are inconclusive, not a failure: more may come. */
export function judgeSamples(policy: Policy, exchanges: Exchanges, pace: Pace): Judged {
  const { compared } = exchanges
  const limit = stricter('samples', policy.window.samplesMin, policy.gate)
  const text = `${spellCount(compared)} of ${spellCount(limit.min)} samples`
  const outlook = forecastCount(compared, limit.min, pace)
  // without this, a mapping that finds nothing would look like too little traffic
  const skipped = chosenOf(exchanges) - compared > compared ? `; ${mostSkipped(exchanges)}` : ''
  const reason = `${text} so far${skipped}`
  return judgeKnown({ metric: 'samples', value: compared, limit, n: compared, reason, text, outlook })
}

/** Judges the span of the evidence: one shorter than the window may have missed daily or weekly changes. */
export function judgeDuration({ compared }: Exchanges, { spannedMs, durationMs }: Pace): Judged {
  const spanned = spellDuration(spannedMs)
  const text = `The evidence spans ${spanned} of ${spellDuration(durationMs)}`
  const outlook = forecastCount(spannedMs, durationMs, { spannedMs, durationMs })
  // forecastCount counts milliseconds here; report the exchanges that will arrive within them
  const forecast = outlook.forecast && {
    ...outlook.forecast,
    observations: Math.ceil((durationMs / spannedMs - 1) * compared),
  }
  return judgeKnown({
    metric: 'duration',
    value: spannedMs,
    limit: { min: durationMs },
    n: compared,
    reason: text,
    text,
    outlook: { forecast, words: '' },
  })
}

/** Judges coverage overall and in each size class that matters, as exchanges are seldom lost at random. */
export function judgeCoverage(policy: Policy, exchanges: Exchanges): Judged {
  const limit = stricter('coverage', policy.window.coverageMin, policy.gate)
  const overall = coverageOf(exchanges)
  if (overall === null) {
    return judgeKnown({
      metric: 'coverage',
      value: null,
      limit,
      n: 0,
      reason: 'No exchange was seen',
      text: 'No exchange was seen',
    })
  }
  const chosen = chosenOf(exchanges)
  const lost = mostSkipped(exchanges)
  const compared = `${spellPercent(overall, limit)} of ${spellCount(chosen)} exchanges were compared`
  const worst = worstClass(policy, limit.min, exchanges, chosen)
  const needs = worst && worst.min !== limit.min ? ` (needs ${spellExactPercent(worst.min)})` : ''
  const inWorst =
    worst && `lowest by request size: ${spellPercent(worst.coverage, worst)} for ${sizeWords[worst.sizeClass]}${needs}`
  const text = [compared, inWorst, lost].filter(Boolean).join('; ')
  const isWorstShort = worst !== null && worst.coverage < worst.min
  const reason =
    overall >= limit.min && worst !== null
      ? `Coverage of requests of ${sizeWords[worst.sizeClass]} is ${spellPercent(worst.coverage, worst)} (${spellExactPercent(worst.min)} needed)`
      : `Coverage is ${spellPercent(overall, limit)} (${spellExactPercent(limit.min)} needed)${lost === null ? '' : `; ${lost}`}`
  const limited = `limit ≥ ${spellExactPercent(limit.min)}`
  const judged = judgeKnown({
    metric: 'coverage',
    value: overall,
    limit,
    n: exchanges.compared,
    reason,
    text,
  })
  const lowest = Math.min(overall, worst?.coverage ?? overall)
  // one size class that falls short suffices to withhold a pass
  const { result } = judged
  const verdict = isWorstShort && result.verdict === 'pass' ? 'inconclusive' : result.verdict
  return { ...judged, result: { ...result, lower: lowest, verdict, text: `${text}; ${limited} → ${verdict}` } }
}

/** Judges whether every hour of the week was seen: the batch of Sunday night, the rush of Monday morning. */
export function judgeHoursOfWeek({ buckets }: RollupRange, { compared }: Exchanges): Judged {
  const filled = buckets.filter(({ sums }) => hasCompared(sums))
  // a bucket is an hour, or a part of one
  const seen = new Set(filled.map(({ at }) => hourOfWeek(Math.floor(at / hourMs))))
  const missing = hoursOfWeek.filter((hour) => !seen.has(hour))
  const some = missing.slice(0, 3).map(spellHourOfWeek).join(', ')
  const rest = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
  const text = `${seen.size} of the week’s ${hoursOfWeek.length} hours were seen${some && `; missing ${some}${rest} (UTC)`}`
  const limit = { min: hoursOfWeek.length }
  return judgeKnown({ metric: 'everyHourOfWeek', value: seen.size, limit, n: compared, reason: text, text })
}

/** When a gate is judged, and the time of its newest compared exchange. */
export interface Freshness {
  newestAt: EpochMs
  judgedAt: EpochMs
}

const isTooOld = (ageMax: Milliseconds, { newestAt, judgedAt }: Freshness) => judgedAt - newestAt > ageMax

/**
 * Judges the evidence's age: what passed a month ago says little about today's traffic. The text is the same until the
 * verdict changes, so that time alone makes no new evaluation.
 */
export function judgeAge(ageMax: Milliseconds, freshness: Freshness | undefined, { compared }: Exchanges): Judged {
  const text = spellAge(ageMax, freshness)
  const verdict = freshness === undefined || isTooOld(ageMax, freshness) ? 'inconclusive' : 'pass'
  const result: CheckResult = {
    metric: 'age',
    estimate: null,
    lower: null,
    upper: null,
    limit: { max: ageMax },
    n: compared,
    verdict,
    forecast: null,
    reportOnly: false,
    text: `${text} → ${verdict}`,
  }
  return { result, reason: text }
}

function spellAge(ageMax: Milliseconds, freshness: Freshness | undefined): string {
  if (freshness === undefined) return 'No exchange was compared yet'
  if (!isTooOld(ageMax, freshness)) return `The newest exchange is at most ${spellDuration(ageMax)} old`
  return `The newest exchange (${spellMinute(freshness.newestAt)}) is more than ${spellDuration(ageMax)} old`
}

const hoursOfWeek = Array.from({ length: 168 }, (_, hour) => hour)
const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** From 0, which is Monday 00:00 UTC. The epoch began on a Thursday. */
function hourOfWeek(hourSinceEpoch: number): number {
  return (((hourSinceEpoch + 72) % 168) + 168) % 168
}

function spellHourOfWeek(hour: number): string {
  return `${days[Math.floor(hour / 24)]} ${String(hour % 24).padStart(2, '0')}:00`
}

/** The built-in minimum, raised by the policy's binding checks of the same metric. */
function stricter(metric: string, builtIn: number, gate: GateCheck[]): { min: number } {
  const binding = gate.filter((check) => check.metric === metric && !check.reportOnly)
  return { min: Math.max(builtIn, ...binding.flatMap(({ min }) => min ?? [])) }
}

interface ClassCoverage {
  sizeClass: SizeClass
  coverage: number
  min: number
}

/** The size class that is furthest below its minimum, or least above it. */
function worstClass(
  { window }: Policy,
  coverageMin: number,
  { bySizeClass }: Exchanges,
  seen: number,
): ClassCoverage | null {
  let worst: ClassCoverage | null = null
  for (const sizeClass of sizeClasses) {
    const { compared, skipped } = bySizeClass[sizeClass]
    const ofClass = compared + skipped
    const own = window.coverageMinBySize?.[sizeClass]
    // a class that the policy names is judged however rare it is
    if (ofClass === 0 || (own === undefined && (ofClass < classExchangesMin || ofClass < classShareMin * seen))) {
      continue
    }
    const found = { sizeClass, coverage: compared / ofClass, min: own ?? coverageMin }
    if (worst === null || found.coverage - found.min < worst.coverage - worst.min) worst = found
  }
  return worst
}

/** The most frequent reason for skips, apart from sampling, as a clause. */
function mostSkipped({ skipped: { [leftOutByChoice]: _, ...skipped }, unmapped }: Exchanges): string | null {
  const [reason, count] = mostIn(skipped) ?? []
  if (reason === undefined) return null
  const [found] = (reason === 'unmapped' && mostIn(unmapped)) || []
  return `skipped most often (${spellCount(count!)}) because ${spellSkip(reason, found)}`
}

const mostIn = (counts: Record<string, number>) => Object.entries(counts).sort(([, a], [, b]) => b - a)[0]
