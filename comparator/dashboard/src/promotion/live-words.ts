import type { LiveCheck, LiveGate } from '../../../../vocabulary/api/live-gate.ts'
import type { PromotionView } from '../../../../vocabulary/api/promotion.ts'
import type { Verdict } from '../../../../vocabulary/verdict.ts'
import { limitText, limitValue } from '../format/limit-text.ts'
import { formatCount, formatCounted, formatShare } from '../format/number.ts'
import { metricInfo } from '../metrics/metric-info.ts'

/** A live gate looks for harm; finding none yet does not show that the candidate is good. */
export const liveVerdictWords: Record<Verdict, string> = {
  pass: 'No harm seen',
  fail: 'Harm seen',
  inconclusive: 'In doubt',
}

/** How the system responds to harm. */
export function harmWords(isPromoted: boolean): string {
  return isPromoted
    ? 'It watches for harm; only a person can roll back a completed promotion.'
    : 'It watches for harm, and ends the rollout if it sees any.'
}

/** The harm that live answers do to clients, in words; `null` if the live gate sees none. */
export function harmOf(promotion: Pick<PromotionView, 'liveGate'> | null): string | null {
  const live = promotion?.liveGate
  return live?.verdict === 'fail' ? `${liveReason(live) ?? live.reason.replace(/\.$/, '')}.` : null
}

/** One check of the live gate in words; shares are as counted. */
export function liveWords(check: LiveCheck): { label: string; text: string } {
  const { metric, share, lower, limit, n } = check
  if (metric === 'samples') {
    const needed = limit === 0 ? 'none needed' : `${formatCount(limit)} needed`
    return { label: 'Answers to clients', text: `${formatCount(n)} seen, ${needed}` }
  }
  const isAllTraffic = metric.endsWith('.allTraffic')
  const { label } = metricInfo(metric.replace(/\.allTraffic$/, ''))
  const whole = isAllTraffic ? `${label}, all traffic` : label
  if (share === null) return { label: whole, text: 'no answers yet' }
  const least = lower !== null && lower > share ? 'at some point at least' : 'lower bound'
  const credible = lower !== null && lower > 0 ? `, ${least} ${formatShare(lower)}` : ''
  const of = formatCounted(n, 'answer')
  const quantile = /\.p(\d+)$/.exec(metric)?.[1]
  const text =
    quantile === undefined
      ? `${signedShare(share)} over ${of}${credible}; limit ${limitText({ max: limit }, 'percent')}`
      : `${formatShare(share)} of ${of} took longer than ${limitValue(limit, 'ms')}${credible}; allowed ${formatShare(1 - Number(`0.${quantile}`))}`
  return { label: whole, text }
}

/** Why a step waits or the rollout ends; `null` if neither is the case. */
export function liveReason({ verdict, samples, checks }: LiveGate): string | null {
  if (verdict === 'pass') return null
  const [seen, ...others] = checks
  const isShort = seen?.metric === 'samples' && samples < seen.limit
  const telling =
    verdict === 'fail'
      ? checks.find((check) => check.verdict === 'fail')
      : isShort
        ? seen
        : others.find((check) => check.verdict === 'inconclusive' && check.n > 0)
  if (telling === undefined) return null
  const { label, text } = liveWords(telling)
  return `${label}: ${text}`
}

/** A difference of shares may be negative. */
function signedShare(share: number): string {
  return share < 0 ? `−${formatShare(-share)}` : formatShare(share)
}
