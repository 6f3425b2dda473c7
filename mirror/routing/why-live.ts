import type { ValidationState } from '../../vocabulary/routing.ts'
import type { FollowedRouting } from './follow-routing.ts'

const reasons: Record<ValidationState, (validation: string) => string> = {
  observing: (validation) => `no promotion of ${validation} has been approved`,
  rollingOut: (validation) => `the promotion of ${validation} is being rolled out`,
  promoted: (validation) => `${validation} was promoted`,
  rolledBack: (validation) => `the promotion of ${validation} was rolled back`,
  rejected: (validation) => `${validation} was rejected`,
}

const fails = 'primary only, except for one request after each cooldown, since the candidate does not answer'

interface Around {
  hasComparator: boolean
  /** The share of requests that the route's candidates before it take. */
  percentBefore: number
  /** Whether its live breaker is open. */
  isBreakerOpen: boolean
}

/** Says in one sentence which of a route's requests a candidate answers, and why. */
export function whyLive(
  validation: string,
  { document, source }: FollowedRouting,
  { hasComparator, percentBefore, isBreakerOpen }: Around,
): string {
  if (!hasComparator) return 'primary only: no comparator is configured, and only a comparator moves live traffic'
  if (source === 'config') return 'primary only: the comparator has not been reached, and no routing is kept on disk'
  const routed = document.validations[validation]
  const reason = routed
    ? reasons[routed.state](validation)
    : `version ${document.version} of the routing does not name ${validation}`
  const heard = source === 'disk' ? '; this is from before this start, when the comparator was last reached' : ''
  const percent = routed?.livePercent ?? 0
  const share = percent > 0 && isBreakerOpen ? fails : shareOf(percent, percentBefore)
  return `${share}: ${reason}${heard}`
}

function shareOf(percent: number, percentBefore: number): string {
  const room = Math.max(0, 100 - percentBefore)
  if (percent > room) return `${room} % of requests, since the candidates before it leave no more of its ${percent} %`
  if (percent === 0) return 'primary only'
  return percent === 100 ? 'all requests' : `${percent} % of requests`
}
