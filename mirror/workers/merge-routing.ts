import type { BreakerState } from '../../vocabulary/mirrors.ts'
import type { RoutingPage } from '../routing-page.ts'

const byTrouble: readonly BreakerState[] = ['open', 'halfOpen', 'closed']

/**
 * Merges the pages of all workers. The routing shown is the oldest, which every worker has reached. Each worker finds
 * out about upstreams by itself, so the worst that any found is shown. Undefined if there are no pages.
 */
export function mergeRouting(pages: readonly RoutingPage[]): RoutingPage | undefined {
  if (pages.length === 0) return undefined
  const last = pages.reduce((last, page) => (page.version < last.version ? page : last))
  const routes = pages.flatMap((page) => page.routes)
  const candidates = routes.flatMap((route) => route.candidates)
  const legs = [...candidates, ...routes.flatMap(({ noiseFloor }) => noiseFloor ?? [])]
  const isHealthyEverywhere = (url: string) =>
    pages.every(({ upstreams }) => upstreams.every((upstream) => upstream.url !== url || upstream.isHealthy))
  const breakerOf = ({ validation }: { validation: string }) =>
    worst(legs.filter((leg) => leg.validation === validation).map(({ breaker }) => breaker))
  const reverseBreakerOf = ({ validation }: { validation: string }) =>
    worst(candidates.filter((one) => one.validation === validation).map(({ reverseBreaker }) => reverseBreaker))
  const shown = pages.filter(({ version }) => version === last.version).flatMap((page) => page.routes)
  const failing = shown.flatMap((route) => route.candidates).filter(({ liveBreaker }) => liveBreaker === 'open')
  return {
    ...last,
    upstreams: last.upstreams.map((upstream) => ({ ...upstream, isHealthy: isHealthyEverywhere(upstream.url) })),
    routes: last.routes.map((route) => ({
      ...route,
      candidates: route.candidates.map((one) => ({
        ...one,
        breaker: breakerOf(one),
        reverseBreaker: reverseBreakerOf(one),
        ...liveOf(failing.find(({ validation }) => validation === one.validation) ?? one),
      })),
      ...(route.noiseFloor && { noiseFloor: { ...route.noiseFloor, breaker: breakerOf(route.noiseFloor) } }),
    })),
  }
}

const liveOf = ({ liveBreaker, why }: RoutingPage['routes'][number]['candidates'][number]) => ({ liveBreaker, why })

const worst = (states: readonly BreakerState[]): BreakerState =>
  byTrouble.find((state) => states.includes(state)) ?? 'closed'
