import type { CheckResult } from '../../vocabulary/gate.ts'
import { evidenceChecks } from '../../vocabulary/verdict.ts'

/**
 * The check of the model that a gate's verdict hangs on: the first that fails, else the first undecided, else the one
 * whose bound leaves the least room to its limit. What the policy asks comes before what every gate has; where nothing
 * that it asks has a say, what it reports is still its question.
 */
export function decidingCheck(checks: readonly CheckResult[]): CheckResult | null {
  const ofModel = checks.filter(({ metric }) => !evidenceChecks.includes(metric))
  const binding = ofModel.filter(({ reportOnly }) => !reportOnly)
  const asked = binding.filter(({ implied }) => !implied)
  const first = (verdict: CheckResult['verdict']) =>
    asked.find((check) => check.verdict === verdict) ?? binding.find((check) => check.verdict === verdict)
  if (asked.length === 0) return first('fail') ?? ofModel.find(({ implied }) => !implied) ?? binding[0] ?? null
  return first('fail') ?? first('inconclusive') ?? tightest(asked)
}

const tightest = (checks: readonly CheckResult[]) =>
  checks.reduce((least, check) => (roomOf(check) < roomOf(least) ? check : least))

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
