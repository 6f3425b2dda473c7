import { correlationFromHeaders } from './exchange/correlation.ts'
import { Exchange } from './exchange/exchange.ts'
import type { MirroredRoute, Routing, Surroundings } from './exchange/surroundings.ts'
import { type LiveChoice, onlyForwarded } from './forward/live-stage.ts'
import type { LiveRequest } from './forward/live-watch.ts'
import type { RequestTrace } from './observe/request-trace.ts'
import { chooseLive } from './routing/live-choice.ts'
import type { RouteTable } from './routing/route-table.ts'

export interface TrafficParts {
  around: Surroundings
  routes: RouteTable<MirroredRoute>
  routing: () => Routing
}

/**
 * What happens to one client request: match its route, choose who is live, and where it is mirrored begin the
 * `Exchange` that watches it pass. The forwarder that asked carries the bytes, and never waits for any of this.
 */
export function handleRequest(parts: TrafficParts, request: LiveRequest, trace: RequestTrace | undefined): LiveChoice {
  const { around } = parts
  const choice = onlyForwarded(around.primary, trace)
  around.guard('beginning an exchange', () => {
    const route = parts.routes.match(request.method, request.target)
    if (!route) return
    const named = correlationFromHeaders(request.fields, route.correlation)
    const correlationId = named ?? around.newId()
    choice.route = route.path
    // one in the body is not known here, and then no other stands for it
    choice.correlationId = 'pointer' in route.correlation ? named : correlationId
    const routing = parts.routing()
    const chosen = chooseLive(route.understudies, routing, correlationId)
    const isOnStage = chosen !== undefined && chosen.liveBreaker!.admits()
    const exchange = new Exchange(around, { request, route, routing, correlationId, chosen, isOnStage, trace })
    choice.response = exchange.watchLive()
    choice.request = exchange
    if (isOnStage) choice.upstreams = chosen.upstreams
  })
  return choice
}
