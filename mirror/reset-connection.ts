import type { Socket } from 'node:net'

/**
 * Ends a connection so that the peer sees it break. Node throws when a TLS socket is reset; resetting the socket
 * beneath it ends both.
 */
export function resetConnection(socket: Socket): void {
  const { _parent: beneath } = socket as Socket & { _parent?: Socket | null }
  ;(beneath ?? socket).resetAndDestroy()
}
