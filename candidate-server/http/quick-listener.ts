import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Front } from './front.ts'
import { QuickConnection } from './quick-connection.ts'
import { keepAliveMs } from './response-bytes.ts'

export interface QuickListener {
  /** Closes idle connections at once and the others after their current answers. */
  close(): void
  /** Closes all connections, including those with a request in progress. */
  closeAll(): void
}

/** Accepts connections ahead of Node's server, which takes over each one that sends anything but plain requests. */
export function createQuickListener(http: Server, front: Front): QuickListener {
  const connections = new Set<QuickConnection>()
  const nodesOwn = http.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  http.removeAllListeners('connection')
  http.on('connection', (socket: Socket) => {
    const connection = new QuickConnection(socket, {
      front,
      idleMaxMs: keepAliveMs,
      handOver: (mixed) => {
        for (const listener of nodesOwn) listener.call(http, mixed)
      },
      onOver: () => connections.delete(connection),
    })
    connections.add(connection)
  })
  return {
    close() {
      for (const connection of connections) connection.closeIfIdle()
    },
    closeAll() {
      for (const connection of connections) connection.destroy()
    },
  }
}
