import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { Leg } from '../forward/live-stage.ts'
import type { LiveEnd } from '../live/live-watch.ts'

/** One attempt to get a live request answered by one upstream. */
export interface ProxiedLeg extends Leg {
  /** Set once it has a connection. */
  proxyRequest: ClientRequest | undefined
  response: IncomingMessage | undefined
  end: LiveEnd | undefined
  timedOut: boolean
  /** False as long as nothing was sent. */
  isConnected: boolean
  /** Whether the connection had served before: the upstream may just have closed it as idle. */
  isReused: boolean
  /**
   * Sends the body that was held in memory; called only after the headers are set, because the first write sends the
   * head.
   */
  sendBody: (() => void) | undefined
}

/** `leg`: also one that was tried before. */
export const newLeg = (leg: Leg): ProxiedLeg => ({
  ...leg,
  proxyRequest: undefined,
  response: undefined,
  end: undefined,
  timedOut: false,
  isConnected: false,
  isReused: false,
  sendBody: undefined,
})

export function watchConnection(leg: ProxiedLeg, proxyRequest: ClientRequest): void {
  const socket = proxyRequest.socket as TLSSocket & { secureConnecting?: boolean }
  leg.isReused = proxyRequest.reusedSocket
  leg.isConnected = !(socket.connecting || socket.secureConnecting)
  if (leg.isConnected) return
  socket.once(leg.upstream.target.tls ? 'secureConnect' : 'connect', () => {
    leg.isConnected = true
  })
}
