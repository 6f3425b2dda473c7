import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { clientAddress } from '../forward/client-address.ts'
import { type Field, type Fields, field, fieldsOf } from '../http1/fields.ts'
import { inOriginForm, withHost } from '../http1/request-head.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { http2Request } from './http2/http2-messages.ts'

/**
 * Reads a request from Node's message, over either version of HTTP. Throws `MalformedMessage` on a bad target or Host,
 * which Node does not check.
 */
export function liveRequestOf(incoming: IncomingMessage): LiveRequest {
  const socket = incoming.socket as TLSSocket
  const fields = fieldsOf(incoming.rawHeaders)
  return {
    ...inOriginForm({
      method: incoming.method!,
      target: incoming.url!,
      fields: http2Request(incoming) ? asHttp1(fields) : fields,
    }),
    clientAddress: clientAddress(socket),
    isTls: socket.encrypted === true,
    httpVersion: http2Request(incoming) ? '2' : incoming.httpVersion,
  }
}

/** `:authority` becomes Host (RFC 9113, 8.3.1); cookies, which HTTP/2 may split, become one field (8.2.3). */
function asHttp1(fields: Fields): Field[] {
  const authority = fields.find(({ name }) => name === ':authority')
  const cookies = fields.filter(({ name }) => name === 'cookie')
  const regular = fields.filter(({ name }) => !name.startsWith(':') && (name !== 'cookie' || cookies.length === 1))
  if (cookies.length > 1) regular.push(field('cookie', cookies.map(({ value }) => value).join('; ')))
  return authority ? withHost(regular, authority.value) : regular
}
