import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepsConnections } from '../../mirror/testing/keeps-connections.ts'

export interface ServerOnPort {
  port: number
  url: string
  /** Stops listening and drops every connection. */
  die(): Promise<void>
  /** Listens again on the same port. */
  revive(): Promise<void>
}

/** An HTTP server that can die and come back. `port` 0 means any port. */
export async function startServer(port: number, answer: RequestListener): Promise<ServerOnPort> {
  const server = createServer(keepsConnections, answer)
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const taken = await listen(port)
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    async die() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    async revive() {
      await listen(taken)
    },
  }
}
