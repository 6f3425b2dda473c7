import { once } from 'node:events'
import { type AddressInfo, isIPv6, type Server } from 'node:net'
import type { ListenAddress } from './config/fields.ts'

/** Node's own `backlog`. */
const waitingMaxOfNode = 511

/**
 * Returns the URL. Rejects if the address is taken. `waitingMax`: how many connections may wait in the system until they
 * are accepted.
 */
export async function listen(
  server: Server,
  { host, port }: ListenAddress,
  waitingMax = waitingMaxOfNode,
): Promise<string> {
  server.listen({ port, host, backlog: waitingMax })
  await once(server, 'listening')
  const { address, port: taken } = server.address() as AddressInfo
  return urlOf({ host: address, port: taken })
}

export const urlOf = ({ host, port }: ListenAddress, scheme: 'http' | 'https' = 'http'): string =>
  `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
