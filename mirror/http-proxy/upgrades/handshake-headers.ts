import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Fields } from '../../http1/fields.ts'

/** Those that ask for another protocol, as the client spelt them, and `fields`, in their case and each as often. */
export function setHandshakeHeaders(proxyRequest: ClientRequest, incoming: IncomingMessage, fields: Fields): void {
  for (const name of proxyRequest.getHeaderNames()) proxyRequest.removeHeader(name)
  for (const { name, value, line } of fields) {
    // these go with a connection that is of ours
    if (name !== 'connection' && name !== 'te') proxyRequest.appendHeader(line.slice(0, name.length), value)
  }
  const { rawHeaders } = incoming
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (asking.has(rawHeaders[i]!.toLowerCase())) proxyRequest.appendHeader(rawHeaders[i]!, rawHeaders[i + 1]!)
  }
}

const asking = new Set(['connection', 'upgrade'])
