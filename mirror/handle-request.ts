import { correlationFromHeaders } from './exchange/correlation.ts'
import { Exchange } from './exchange/exchange.ts'
import type { ExchangeContext, Routing } from './exchange/exchange-context.ts'
import { type LiveChoice, onlyForwarded } from './forward/live-stage.ts'
import type { LiveRequest } from './live/live-watch.ts'
import { chooseLive } from './routing/live-choice.ts'
import type { RouteTable } from './routing/route-table.ts'
import type { MirroredRoute } from './shadow/understudy.ts'
import type { RequestTrace } from './tracing/request-trace.ts'

export interface TrafficParts {
  context: ExchangeContext
  routes: RouteTable<MirroredRoute>
  routing: () => Routing
}

/**
 * Decides what happens to one client request: matches its route, chooses who is live and, if the route is mirrored,
 * begins the `Exchange` that observes it. The forwarder that called this carries the bytes and never waits for the
 * exchange.
 */
export function handleRequest(parts: TrafficParts, request: LiveRequest, trace: RequestTrace | undefined): LiveChoice {
  const { context } = parts
  const choice = onlyForwarded(request, context.primary, trace)
  context.guard('beginning an exchange', () => {
    const route = parts.routes.match(request.method, request.target)
    if (!route) return
    const named = correlationFromHeaders(request.fields, route.correlation)
    const correlationId = named ?? context.newId()
    choice.record.route = route.path
    // an id in the body is not known yet, and no other may stand in for it
    choice.record.correlationId = 'pointer' in route.correlation ? named : correlationId
    const routing = parts.routing()
    const chosen = chooseLive(route.understudies, routing, correlationId)
    const isOnStage = chosen !== undefined && chosen.liveBreaker!.admits()
    const exchange = new Exchange(context, { request, route, routing, correlationId, chosen, isOnStage, trace })
    choice.response = exchange.watchLive()
    choice.request = exchange
    if (isOnStage) choice.upstreams = chosen.upstreams
  })
  return choice
}
