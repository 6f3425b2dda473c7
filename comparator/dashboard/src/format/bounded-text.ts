import type { CheckResult } from '../../../../vocabulary/api/gate.ts'
import type { Bounded } from '../../../../vocabulary/bounded.ts'
import { clipTo, metricInfo } from '../metrics/metric-info.ts'
import { digitsFor, formatEstimate, signed } from './number.ts'
import { spanText } from './span-text.ts'

/**
 * A metric's estimate and its bound (which may be open), rounded to the precision of the bound; `null` if the bound
 * adds nothing. `isSigned`: adds a + to positive values. `limit`: the limit it is compared with.
 */
export function boundedText(
  name: string,
  bounded: Bounded,
  { isSigned = false, limit = {} }: { isSigned?: boolean; limit?: CheckResult['limit'] } = {},
): { estimate: string; bound: string | null } {
  const { unit, domain } = metricInfo(name)
  const [lower, upper] = [clipTo(domain, bounded.lower), clipTo(domain, bounded.upper)]
  const digits = digitsFor(bounded.estimate, lower, upper, unit, limit)
  return {
    estimate: signed(formatEstimate(bounded.estimate, { unit, domain }, digits, limit), isSigned),
    bound: lower === upper ? null : spanText({ lower, upper }, unit, digits, isSigned),
  }
}
