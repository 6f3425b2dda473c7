import type { CheckResult, RecentBound } from '../../../../vocabulary/api/gate.ts'
import { limitText, limitValue } from '../format/limit-text.ts'
import { digitsFor } from '../format/number.ts'
import { spanText } from '../format/span-text.ts'
import { formatUtc } from '../format/time.ts'
import { checkInfo } from '../metrics/metric-info.ts'
import { failuresClause } from './failures-clause.ts'

/** What the newest evidence alone says about a check that passes over the window; `null` if it was not judged. */
export function recentSentence({ recent, ...check }: CheckResult): string | null {
  if (!recent) return null
  const held = check.verdict === 'inconclusive' ? ', outside the limit' : ''
  return `Newest evidence alone (${since(recent)}): ${recentFigures(recent, check)}${held}.`
}

/** Why a check that passes over the window is undecided nevertheless; `null` for any other. */
export function heldClause({ recent, ...check }: CheckResult): string | null {
  if (check.verdict !== 'inconclusive' || !recent) return null
  const limit = limitText(recent.limit, unitOf(recent, check))
  const figures = `${recentFigures(recent, check)}${failuresClause(recent)}`
  return `passes over the window, but the evidence ${since(recent)} alone is outside the limit (${limit}): ${figures}`
}

const since = ({ from }: RecentBound) => `since ${formatUtc(from).replace(/:00(?=\sUTC$)/, '')}`

type Check = Omit<CheckResult, 'recent'>

/** `0.942 to 0.957`; for a limit on a quantile, the share beyond it: `4.1 to 5.5 % over 250 ms`. */
function recentFigures(recent: RecentBound, check: Check): string {
  const { estimate, lower, upper, beyond } = recent
  const unit = unitOf(recent, check)
  const digits = digitsFor(estimate, lower, upper, unit, recent.limit)
  const span = spanText(recent, unit, digits) ?? 'too little for a bound'
  if (beyond === undefined) return span
  const at = beyond === 'over' ? check.limit.max : check.limit.min
  return `${span} ${beyond} ${limitValue(at!, checkInfo(check).unit)}`
}

const unitOf = ({ beyond }: RecentBound, check: Check) => (beyond === undefined ? checkInfo(check).unit : 'percent')
