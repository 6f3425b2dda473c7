import type { CheckResult } from '../../vocabulary/gate.ts'
import { evidenceMetrics } from '../metrics/catalogue.ts'

/** Built in, and about how much evidence there is: nothing of the model to draw. */
const aboutEvidence = new Set([...evidenceMetrics, 'duration', 'everyHourOfWeek'])

/**
 * The check of the model that a gate's verdict hangs on: the first that fails, else the first undecided, else the one
 * whose bound leaves the least room to its limit.
 */
export function decidingCheck(checks: readonly CheckResult[]): CheckResult | null {
  const ofModel = checks.filter(({ metric, reportOnly }) => !reportOnly && !aboutEvidence.has(metric))
  const first = (verdict: CheckResult['verdict']) => ofModel.find((check) => check.verdict === verdict)
  const tightest = ofModel.reduce<CheckResult | null>((least, check) => {
    return least === null || roomOf(check) < roomOf(least) ? check : least
  }, null)
  return first('fail') ?? first('inconclusive') ?? tightest
}

/** From the estimate to the limit, in half widths of the bound, so that metrics of different units compare. */
function roomOf({ estimate, lower, upper, limit }: CheckResult): number {
  if (estimate === null) return Number.POSITIVE_INFINITY
  const below =
    limit.min === undefined || lower === null ? Number.POSITIVE_INFINITY : ratio(estimate - limit.min, estimate - lower)
  const above =
    limit.max === undefined || upper === null ? Number.POSITIVE_INFINITY : ratio(limit.max - estimate, upper - estimate)
  return Math.min(below, above)
}

const ratio = (room: number, halfWidth: number) => (halfWidth > 0 ? room / halfWidth : Number.POSITIVE_INFINITY)
