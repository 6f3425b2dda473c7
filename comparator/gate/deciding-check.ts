import type { CheckResult } from '../../vocabulary/api/gate.ts'
import { evidenceChecks } from '../../vocabulary/verdict.ts'

/**
 * The model check that decides a gate's verdict: the first that fails, else the first inconclusive one, else the one
 * whose bound leaves the least room to its limit. `checks` are in the order of a gate's verdict, so the policy's own come
 * before the implied one. If all of them are report only, the first of them is shown unless the implied check fails.
 */
export function decidingCheck(checks: readonly CheckResult[]): CheckResult | null {
  const ofModel = checks.filter(({ metric }) => !evidenceChecks.includes(metric))
  const binding = ofModel.filter(({ reportOnly }) => !reportOnly)
  const asked = binding.filter(({ implied }) => !implied)
  const first = (verdict: CheckResult['verdict']) => binding.find((check) => check.verdict === verdict)
  if (asked.length === 0) return first('fail') ?? ofModel.find(({ implied }) => !implied) ?? binding[0] ?? null
  return first('fail') ?? first('inconclusive') ?? tightest(asked)
}

const tightest = (checks: readonly CheckResult[]) =>
  checks.reduce((least, check) => (roomOf(check) < roomOf(least) ? check : least))

/** Distance from the estimate to the limit in half widths of the bound, which is comparable between metrics. */
function roomOf({ estimate, lower, upper, limit }: CheckResult): number {
  if (estimate === null) return Number.POSITIVE_INFINITY
  const below =
    limit.min === undefined || lower === null ? Number.POSITIVE_INFINITY : ratio(estimate - limit.min, estimate - lower)
  const above =
    limit.max === undefined || upper === null ? Number.POSITIVE_INFINITY : ratio(limit.max - estimate, upper - estimate)
  return Math.min(below, above)
}

const ratio = (room: number, halfWidth: number) => (halfWidth > 0 ? room / halfWidth : Number.POSITIVE_INFINITY)
