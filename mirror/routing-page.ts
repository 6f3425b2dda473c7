import type { FollowedRouting } from './routing/follow-routing.ts'
import { whyLive } from './routing/why-live.ts'
import type { MirroredRoute, Understudy } from './shadow/understudy.ts'
import type { UpstreamGroup } from './upstream/upstream-group.ts'

export type RoutingPage = ReturnType<typeof routingPage>

interface RoutingPageSources {
  primary: UpstreamGroup
  routes: readonly MirroredRoute[]
  routing: FollowedRouting
  hasComparator: boolean
}

/** What is live, and why: the answer to `GET /routing`. */
export function routingPage({ primary, routes, routing, hasComparator }: RoutingPageSources) {
  const { document, source, since } = routing
  const upstreams = primary.upstreams.map((upstream) => ({
    url: upstream.target.url,
    isHealthy: primary.healthy.includes(upstream),
  }))
  return {
    version: document.version,
    source,
    since: new Date(since).toISOString(),
    updatedAt: document.updatedAt,
    primary: upstreams.map(({ url }) => url).join(' '),
    upstreams,
    routes: routes.map(({ path, methods, understudies }) => {
      let percentBefore = 0
      const candidates = understudies.filter(({ isNoiseFloor }) => !isNoiseFloor)
      const noiseFloor = understudies.find(({ isNoiseFloor }) => isNoiseFloor)
      return {
        path,
        methods,
        candidates: candidates.map((understudy) => {
          const { validation, config, liveBreaker } = understudy
          const routed = document.validations[validation] ?? allPrimaryState
          const isBreakerOpen = liveBreaker?.isOpen === true
          const why = whyLive(validation, routing, { hasComparator, percentBefore, isBreakerOpen })
          percentBefore += routed.livePercent
          return {
            ...shadowsOf(understudy),
            url: config.url,
            state: routed.state,
            livePercent: routed.livePercent,
            reverseShadow: routed.reverseShadow,
            reverseBreaker: understudy.reverseShadows.breaker,
            liveBreaker: isBreakerOpen ? ('open' as const) : ('closed' as const),
            why,
          }
        }),
        // the primary against itself: measured like a candidate, never live
        ...(noiseFloor && { noiseFloor: shadowsOf(noiseFloor) }),
      }
    }),
  }
}

const allPrimaryState = { state: 'observing', livePercent: 0, reverseShadow: false } as const

const shadowsOf = ({ validation, config, shadows }: Understudy) => ({
  validation,
  share: config.share,
  breaker: shadows.breaker,
})
