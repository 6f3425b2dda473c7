import type { Socket } from 'node:net'

/**
 * Ends a connection so that its other side knows that it broke. Of a TLS socket Node knows no reset, and throws: the
 * socket beneath takes it along.
 */
export function resetConnection(socket: Socket): void {
  const { _parent: beneath } = socket as Socket & { _parent?: Socket | null }
  ;(beneath ?? socket).resetAndDestroy()
}
