import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Fields, spelt } from '../../http1/fields.ts'

/** Sets the client's headers that ask for another protocol, and `fields`, all as they were spelt and repeated. */
export function setHandshakeHeaders(proxyRequest: ClientRequest, incoming: IncomingMessage, fields: Fields): void {
  for (const name of proxyRequest.getHeaderNames()) proxyRequest.removeHeader(name)
  for (const field of fields) {
    // these would concern a connection of our own
    if (field.name !== 'connection' && field.name !== 'te') proxyRequest.appendHeader(spelt(field), field.value)
  }
  const { rawHeaders } = incoming
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (asking.has(rawHeaders[i]!.toLowerCase())) proxyRequest.appendHeader(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
}

const asking = new Set(['connection', 'upgrade'])
