import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { clientAddress } from '../forward/client-address.ts'
import { type Field, type Fields, field, fieldsOf } from '../http1/fields.ts'
import { requestFraming } from '../http1/framing.ts'
import { inOriginForm, otherVersion, withHost } from '../http1/request-head.ts'
import type { LiveRequest } from '../live/live-watch.ts'
import { http2Request } from './http2/http2-messages.ts'

/**
 * Reads a request from Node's message, over either version of HTTP. Throws `MalformedMessage` on what Node's parser does
 * not look at: a bad target or Host, a transfer coding before chunked, another version in an HTTP/1 head.
 */
export function liveRequestOf(incoming: IncomingMessage): LiveRequest {
  const socket = incoming.socket as TLSSocket
  const fields = fieldsOf(incoming.rawHeaders)
  const isHttp2 = http2Request(incoming) !== undefined
  if (!isHttp2) {
    if (incoming.httpVersionMajor !== 1) throw otherVersion()
    requestFraming(fields)
  }
  return {
    ...inOriginForm({
      method: incoming.method!,
      target: incoming.url!,
      fields: isHttp2 ? asHttp1(fields) : fields,
    }),
    clientAddress: clientAddress(socket),
    isTls: socket.encrypted === true,
    httpVersion: isHttp2 ? '2' : incoming.httpVersion,
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
