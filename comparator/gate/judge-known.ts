import type { CheckResult } from '../../vocabulary/api/gate.ts'
import { finite } from '../metrics/estimates/finite.ts'
import type { Outlook } from './forecast.ts'
import type { Judged } from './judge.ts'

/** Judges an amount of evidence, which has no bound. Below `min` it is inconclusive, not a failure: more may come. */
export function judgeKnown({
  metric,
  value,
  limit,
  n,
  reason,
  text,
  outlook,
  reportOnly = false,
}: {
  metric: string
  value: number | null
  limit: { min: number }
  n: number
  reason: string
  text: string
  outlook?: Outlook
  reportOnly?: boolean
}): Judged {
  const estimate = finite(value)
  const verdict = estimate !== null && estimate >= limit.min ? 'pass' : 'inconclusive'
  const isOpen = verdict === 'inconclusive' && outlook !== undefined
  const result: CheckResult = {
    metric,
    estimate,
    lower: estimate,
    upper: estimate,
    limit,
    n,
    verdict,
    forecast: isOpen ? outlook.forecast : null,
    ...(isOpen && outlook.noForecast && { noForecast: outlook.noForecast }),
    reportOnly,
    text: `${text} → ${verdict}${isOpen && outlook.words ? `; ${outlook.words}` : ''}`,
  }
  return { result, reason }
}
