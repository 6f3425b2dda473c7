import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Bytes, Milliseconds } from '../../vocabulary/units.ts'
import type { LiveEnd } from '../forward/live-watch.ts'
import type { Leg } from '../forward/tries.ts'

/** One live request on its way through one upstream. */
export interface ProxiedLeg extends Leg {
  respondedAt: Milliseconds | undefined
  /** Once it has a connection. */
  proxyRequest: ClientRequest | undefined
  response: IncomingMessage | undefined
  responseBytes: Bytes
  end: LiveEnd | undefined
  timedOut: boolean
  /** Before that nothing was sent. */
  isConnected: boolean
  /** On a connection that had served before: it may just have been closed as idle. */
  isReused: boolean
  /** Where it comes from memory: not before the head is as it should be, which it would send. */
  sendBody: (() => void) | undefined
}

export function newLeg({ upstreams, upstream, tried, watch, passedOn }: Leg): ProxiedLeg {
  return {
    upstreams,
    upstream,
    tried,
    watch,
    passedOn,
    respondedAt: undefined,
    proxyRequest: undefined,
    response: undefined,
    responseBytes: 0,
    end: undefined,
    timedOut: false,
    isConnected: false,
    isReused: false,
    sendBody: undefined,
  }
}

export function watchConnection(leg: ProxiedLeg, proxyRequest: ClientRequest): void {
  const socket = proxyRequest.socket as TLSSocket & { secureConnecting?: boolean }
  leg.isReused = proxyRequest.reusedSocket
  leg.isConnected = !(socket.connecting || socket.secureConnecting)
  if (leg.isConnected) return
  socket.once(leg.upstream.target.tls ? 'secureConnect' : 'connect', () => {
    leg.isConnected = true
  })
}
