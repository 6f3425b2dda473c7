import { once } from 'node:events'
import { type AddressInfo, isIPv6, type Server } from 'node:net'
import type { ListenAddress } from './config/fields.ts'

/** Returns the URL. Rejects if the address is taken. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  server.listen(port, host)
  await once(server, 'listening')
  const { address, port: taken } = server.address() as AddressInfo
  return urlOf({ host: address, port: taken })
}

export const urlOf = ({ host, port }: ListenAddress, scheme: 'http' | 'https' = 'http'): string =>
  `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
