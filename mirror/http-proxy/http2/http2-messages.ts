import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Fields } from '../../http1/fields.ts'
import { resetConnection } from '../../reset-connection.ts'

// Node's server of HTTP/2 gives its own messages in place of those of `node:http`; most of what those do they do too.

export function http2Request(incoming: IncomingMessage): Http2ServerRequest | undefined {
  return incoming instanceof Http2ServerRequest ? incoming : undefined
}

export function http2Response(response: object): Http2ServerResponse | undefined {
  return response instanceof Http2ServerResponse ? response : undefined
}

/** As it takes them: each name once, with all of its values. */
export function byName(fields: Fields): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null)
  for (const { name, value } of fields) {
    values[name] ??= []
    values[name].push(value)
  }
  return values
}

/** Ends a response in its middle, so that the client does not take what it has for all: a reset, over HTTP/2 too. */
export function breakOff(response: ServerResponse): void {
  const stream = http2Response(response)?.stream
  if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  // one that waits for its turn on a pipelined connection has none to destroy yet
  else if (response.socket === null) response.req.socket.destroy()
  // a FIN would be the whole body's end where nothing else tells it
  else if (response.headersSent && !isFramed(response)) resetConnection(response.socket)
  else response.destroy()
}

const isFramed = (response: ServerResponse) => response.chunkedEncoding || response.hasHeader('content-length')

/** Whether nothing that is written can reach the client. */
export function isGone(response: ServerResponse): boolean {
  return http2Response(response)?.stream.destroyed ?? response.destroyed
}
