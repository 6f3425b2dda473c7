import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { ListenAddress } from './config/fields.ts'

/** The URL that it then has. Rejects where the address is taken. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  const { address, port: taken, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}
